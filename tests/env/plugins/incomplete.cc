// A plug-in with a symbol that no library defines, for plugin_test.cc.
extern "C" int in_no_library();
extern "C" int uses_it() { return in_no_library(); }
