// A plug-in that misses a library, for plugin_test.cc.
extern "C" int in_no_library();
extern "C" int uses_it() { return in_no_library(); }
