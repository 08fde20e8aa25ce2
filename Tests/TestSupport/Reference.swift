/// Slow twins: what the code under test computes, once more, from the definition, in double precision, one obvious
/// loop after another. Nothing here calls the code under test.
public enum Reference {}
