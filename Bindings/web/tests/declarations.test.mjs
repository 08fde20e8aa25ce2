// The declarations for TypeScript: its compiler accepts a program that uses all of them, and they say what the modules have.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {existsSync, realpathSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const names = ['earshot', 'messages', 'modem'];

/** Members that only the modules themselves use. */
const internal = {MessagesError: ['isBadSession', 'isBadKey', 'isNoSuchThing', 'isRepeatDiffering', 'isFinal']};

/** TypeScript lies beside its command, tsc. */
function typescript() {
    const command = process.env.PATH.split(':').map((one) => path.join(one, 'tsc')).find(existsSync);
    assert.ok(command, 'there is no tsc: scripts/install-dependencies.sh web');
    return createRequire(realpathSync(command))('../lib/typescript.js');
}

const ts = typescript();
const program = ts.createProgram([path.join(folder, 'tests/support/uses.ts')], {
    strict: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, noImplicitAny: true, noEmit: true, types: [],
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.NodeJs,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
});

test('the compiler accepts a program that uses all declarations, and refuses what is wrong', () => {
    const texts = ts.getPreEmitDiagnostics(program).map(({file, start, messageText}) =>
        `${file?.fileName}:${file?.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    assert.deepEqual(texts, []);
    for (const name of names) assert.ok(program.getSourceFile(path.join(folder, `${name}.d.ts`)), name);
});

test('the declarations name what the modules export, and the members of their classes', async () => {
    const checker = program.getTypeChecker();
    for (const name of names) {
        const module = await import(path.join(folder, `${name}.js`));
        const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path.join(folder, `${name}.d.ts`))))
            .map((symbol) => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
            .filter((symbol) => symbol.flags & ts.SymbolFlags.Value);
        assert.deepEqual(symbols.map((symbol) => symbol.name).toSorted(), Object.keys(module).toSorted(), name);
        for (const symbol of symbols.filter(({flags}) => flags & ts.SymbolFlags.Class)) {
            const made = module[symbol.name];
            // Those with "_" are for the other modules.
            const isPublic = (member) => !member.startsWith('_') && member !== 'constructor';
            const membersOf = (object) => Object.getOwnPropertyNames(object).filter(isPublic);
            const declared = [...symbol.members.keys()].filter((member) => isPublic(member) && member !== '__constructor');
            const missing = membersOf(made.prototype).filter((member) => !declared.includes(member));
            assert.deepEqual(missing, internal[symbol.name] ?? [], `${symbol.name} does not declare`);
            const statics = membersOf(made).filter((member) => !['length', 'name', 'prototype'].includes(member));
            assert.deepEqual([...symbol.exports.keys()].filter((member) => member !== 'prototype').toSorted(), statics.toSorted(), symbol.name);
        }
    }
});

test('the declared codes of problems are those that have a text', async () => {
    const {problemTexts} = await import('../earshot.js');
    const checker = program.getTypeChecker();
    const [symbol] = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path.join(folder, 'earshot.d.ts'))))
        .filter(({name}) => name === 'ProblemCode');
    const codes = checker.getDeclaredTypeOfSymbol(symbol).types.map(({value}) => value);
    assert.deepEqual(codes.toSorted(), Object.keys(problemTexts).toSorted());
});
