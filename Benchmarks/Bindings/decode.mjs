// Decodes 16 bit integers of one channel at 48 kHz from a WAV file with WebAssembly in
// node, in the same way as `earshot decode`.
//
//     node decode.mjs PAGE FILE      PAGE is the built page; prints the number of frames
import {closeSync, openSync, readFileSync, readSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [page, path] = process.argv.slice(2);
const {Modem} = await import(pathToFileURL(resolve(page, 'modem.js')));
const modem = await Modem.load(readFileSync(resolve(page, 'earshot.wasm')));
const receiver = modem.receiver({sampleRateHertz: 48000});
const integers = new Int16Array(16384);
const samples = new Float32Array(integers.length);
const file = openSync(path);
let [place, frameCount] = [44, 0];
for (;;) {
    const count = readSync(file, integers, 0, integers.byteLength, place) >> 1;
    if (count === 0) break;
    place += 2 * count;
    for (let n = 0; n < count; n++) samples[n] = integers[n] / 32768;
    frameCount += receiver.push(samples.subarray(0, count)).length;
}
closeSync(file);
console.log(frameCount + receiver.flush().length);
