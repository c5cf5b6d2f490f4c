// A shared object that is no plug-in, for plugin_test.cc.
extern "C" int not_a_plugin() { return 0; }
