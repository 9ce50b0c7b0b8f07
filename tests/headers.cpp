// Nothing: the precompiled headers of tests need a target with a source.
