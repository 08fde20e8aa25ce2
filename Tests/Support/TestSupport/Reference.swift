/// Slow twins: they compute the result of the code under test again, from the definition, in double precision, one
/// obvious loop after another. Nothing here calls the code under test.
public enum Reference {}
