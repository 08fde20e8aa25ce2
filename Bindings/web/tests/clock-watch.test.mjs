// The watch that finds unseen holes by the clock, with simulated arrivals of blocks.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ClockWatch} from '../clock-watch.js';

const rateHertz = 48000;
const blockFrameCount = 1024;

/** Random numbers from 0 to 1; the seed is fixed. */
function randomNumbers() {
    let state = 1;
    return () => (state = state * 48271 % 2147483647) / 2147483647;
}

/**
 * Lets blocks arrive for a while.
 * @param {object} options
 * @param {(atSeconds: number) => number} [options.behind] How far the context's frames are behind at a time, in seconds.
 * @param {(atSeconds: number) => number} [options.delay] How late the Worker reads, beyond the usual.
 * @returns {{lostSeconds: number, reports: number[][]}} What was reported: at which second, how many seconds.
 */
function watched({seconds = 60, behind = () => 0, delay = () => 0, partsPerMillion = 0, precisionSeconds = 0.001}) {
    const random = randomNumbers();
    const watch = new ClockWatch(rateHertz);
    const reports = [];
    for (let frame = 0, now = 0; now < seconds; frame += blockFrameCount) {
        const atSeconds = frame / rateHertz * (1 + partsPerMillion / 1e6);
        const held = behind(atSeconds);
        // Blocks arrive in groups of about 25 ms.
        now = atSeconds + held + 0.04 * random() + delay(atSeconds + held);
        const lost = watch.take(frame, Math.floor(now / precisionSeconds) * precisionSeconds);
        if (lost > 0) reports.push([now, lost / rateHertz]);
    }
    return {reports, lostSeconds: reports.reduce((sum, [, lost]) => sum + lost, 0)};
}

/** A step of some height at each of the seconds. */
const steps = (height, places) => (atSeconds) => height * places.filter((place) => atSeconds >= place).length;

test('nothing is reported of clocks that differ, and of Workers that are late', () => {
    for (const partsPerMillion of [0, 300, -300]) {
        assert.deepEqual(watched({seconds: 600, partsPerMillion}).reports, [], `${partsPerMillion} ppm`);
    }
    // A browser that hides the time from pages.
    assert.deepEqual(watched({precisionSeconds: 1 / 60}).reports, []);
    const busy = (atSeconds) => Math.max(0, ...[10, 20, 30].map((place) => atSeconds >= place && atSeconds < place + 2 ? place + 2 - atSeconds : 0));
    assert.deepEqual(watched({delay: busy}).reports, []);
    // The browser's own buffer takes the first pauses.
    assert.deepEqual(watched({behind: steps(0.03, [10, 20, 30])}).reports, []);
});

test('holes of 6 ms beyond the buffer of the browser are found', () => {
    const places = Array.from({length: 200}, (_, number) => 10 + number / 5);
    const {lostSeconds, reports} = watched({behind: steps(0.0062, places)});
    assert.ok(Math.abs(lostSeconds - (200 * 0.0062 - 0.1)) < 0.01, `${lostSeconds} s`);
    assert.ok(reports[0][0] > 12, 'the first are in the buffer');
});

test('a long hole is found within four seconds, as long as it is', () => {
    for (const partsPerMillion of [0, 300, -300]) {
        const {reports} = watched({behind: steps(0.8, [20]), partsPerMillion});
        assert.equal(reports.length, 1);
        const [[atSeconds, lostSeconds]] = reports;
        assert.ok(atSeconds > 20.8 && atSeconds < 25, `at ${atSeconds} s`);
        assert.ok(Math.abs(lostSeconds - 0.7) < 0.01, `${lostSeconds} s`);
    }
});

test('a machine that slept, and a context that was paused, lost nothing by their fault', () => {
    assert.deepEqual(watched({behind: steps(3600, [20]), seconds: 3700}).reports, []);
    const watch = new ClockWatch(rateHertz);
    let lost = 0;
    for (let frame = 0; frame < 30 * rateHertz; frame += blockFrameCount) {
        const isAfter = frame >= 15 * rateHertz;
        if (isAfter && frame - blockFrameCount < 15 * rateHertz) watch.restart();
        lost += watch.take(frame, frame / rateHertz + (isAfter ? 5 : 0));
    }
    assert.equal(lost, 0);
});

test('a Worker that is late for long is taken back: a later hole counts again', () => {
    const late = (atSeconds) => atSeconds >= 10 && atSeconds < 20 ? 0.5 : 0;
    const {reports} = watched({delay: late, behind: steps(0.4, [40])});
    assert.equal(reports.length, 2);
    assert.ok(reports[1][0] > 40 && Math.abs(reports[1][1] - 0.3) < 0.01, `${reports[1]}`);
});
