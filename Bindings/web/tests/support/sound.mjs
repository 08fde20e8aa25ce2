// A room: a private sound server with one null sink, whose sound a browser's microphone hears.

import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../../../Tests/Support/virtual-sound-card.sh', import.meta.url));

/** A sound card of its own. */
export class Room {
    /** The environment that points programs at the card. */
    environment;
    folder;
    #card;

    /**
     * @param {object} [options]
     * @param {number} [options.rateHertz]
     * @returns {Promise<Room>}
     */
    static async open({rateHertz = 48000} = {}) {
        const room = new Room();
        room.folder = await mkdtemp(path.join(tmpdir(), 'earshot-room-'));
        room.#card = path.join(room.folder, 'card');
        await run(script, ['start', room.#card, '--rate', String(rateHertz), '--owner', String(process.pid)]);
        const {stdout} = await run(script, ['env', room.#card]);
        room.environment = {...process.env};
        for (const [, name, value] of stdout.matchAll(/^export (\w+)=(.*)$/gm)) room.environment[name] = value;
        // Browsers offer no monitors as microphones.
        await room.#control('load-module', 'module-remap-source', 'source_name=microphone', 'master=air.monitor', 'channels=1',
            'master_channel_map=mono', 'channel_map=mono', 'remix=no');
        await room.#control('set-default-source', 'microphone');
        await room.#control('set-default-sink', 'air');
        return room;
    }

    /** Plays a WAV file to its end. */
    async play(wav) {
        await run('paplay', ['--device=air', '--latency-msec=200', wav], {env: this.environment});
    }

    /** How many programs record now. */
    async recordingCount() {
        const {stdout} = await this.#control('list', 'short', 'source-outputs');
        return stdout.split('\n').filter((line) => line !== '' && !line.includes('module-remap-source')).length;
    }

    /** Takes the microphone away. */
    async removeMicrophone() {
        await this.#control('unload-module', 'module-remap-source');
    }

    async close() {
        await run(script, ['stop', this.#card]).catch(() => {});
        await rm(this.folder, {recursive: true, force: true});
    }

    #control(...words) {
        return run('pactl', words, {env: this.environment});
    }
}
