// The programs of the command line, in a room.

import {spawn} from 'node:child_process';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** The folder with the built programs. */
const folder = process.env.EARSHOT_PROGRAMS ?? path.join(root, '.build/release');

/** Where a program lies. */
export const programPath = (name) => path.join(folder, name);

/** A program that runs; its lines come one by one. */
export class Program {
    /** What it printed, line by line. */
    lines = [];
    #process;
    #errors = '';
    #ended;

    /**
     * @param {string} name
     * @param {string[]} words
     * @param {object} options
     * @param {object} options.environment
     * @param {(line: string) => void} [options.onLine]
     * @param {string} [options.executable] Another file than that of `EARSHOT_PROGRAMS`.
     */
    constructor(name, words, {environment, onLine = () => {}, executable = programPath(name)}) {
        this.#process = spawn(executable, words, {env: environment, stdio: ['ignore', 'pipe', 'pipe']});
        this.#process.stderr.on('data', (text) => this.#errors += text);
        createInterface({input: this.#process.stdout}).on('line', (line) => {
            this.lines.push(line);
            onLine(line);
        });
        this.#ended = new Promise((resolve, reject) => {
            this.#process.on('error', reject);
            this.#process.on('close', (code, signal) => resolve(code ?? signal));
        });
        this.#ended.catch(() => {});
    }

    /** What it printed as errors and notes. */
    get errors() {
        return this.#errors;
    }

    /** Waits for its end; returns its exit code or the signal's name. */
    ended() {
        return this.#ended;
    }

    /** Ends it as Ctrl-C does. */
    async interrupt() {
        this.#process.kill('SIGINT');
        const timer = setTimeout(() => this.#process.kill('SIGKILL'), 10000);
        await this.#ended;
        clearTimeout(timer);
    }
}

/** Runs a program to its end and returns what it printed. */
export async function output(name, words, {environment = process.env, okCodes = [0]} = {}) {
    const program = new Program(name, words, {environment});
    const code = await program.ended();
    if (!okCodes.includes(code)) throw new Error(`${name} ${words.join(' ')}: ${code}\n${program.errors}`);
    return program.lines.join('\n');
}
