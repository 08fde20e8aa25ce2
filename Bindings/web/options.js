// What the modules say about options that they do not have, and about wrong values.

/** Refuses options that do not exist: they are usually misspelt. */
export function refuseUnknown(unknown, method) {
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new TypeError(`${method} has no option ${shown(name)}`);
}

/** A wrong value as an error shows it: a text has quotation marks, because '48000' is not 48000. */
export function shown(value) {
    return typeof value === 'string' ? `'${value}'` : String(value);
}
