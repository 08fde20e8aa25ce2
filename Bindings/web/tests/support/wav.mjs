// WAV files of 32 bit floats, one channel.

import {writeFile} from 'node:fs/promises';

/**
 * Writes samples of full scale 1.
 * @param {string} path
 * @param {Float32Array} samples
 * @param {number} sampleRateHertz
 */
export async function writeWav(path, samples, sampleRateHertz) {
    const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const header = Buffer.alloc(44);
    header.write('RIFF', 0);
    header.writeUInt32LE(36 + data.length, 4);
    header.write('WAVEfmt ', 8);
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(3, 20);
    header.writeUInt16LE(1, 22);
    header.writeUInt32LE(sampleRateHertz, 24);
    header.writeUInt32LE(4 * sampleRateHertz, 28);
    header.writeUInt16LE(4, 32);
    header.writeUInt16LE(32, 34);
    header.write('data', 36);
    header.writeUInt32LE(data.length, 40);
    await writeFile(path, Buffer.concat([header, data]));
}
