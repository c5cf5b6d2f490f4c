// A shared object that is no backend.
