// Draws the band from 18 to 20.5 kHz as it goes by, and on it the tones of the frames that were decoded.

const lowestHertz = 18000;
const highestHertz = 20500;
const windowSeconds = 6;
const columnsPerSecond = 100;
/** A longer pause between two pictures stays empty: the page was in the background. */
const longestHoldSeconds = 0.25;
/** The decibels above the noise at which colours begin and end. */
const colourDecibels = [4, 52];

const colours = {
    light: ['#f7f8fd', '#dfe6fb', '#a9bdf5', '#5f78e0', '#3a35b0', '#1c1464'],
    dark: ['#0f1322', '#1a2350', '#2d46a8', '#2f9fb4', '#8fe0a0', '#fbf6b8'],
};

/** The waterfall on a canvas. */
export class Waterfall {
    #canvas;
    #history = document.createElement('canvas');
    #columnCount = windowSeconds * columnsPerSecond;
    #frames = [];
    #listener;
    #spectrum;
    #lastColumn;
    #noiseDecibels;
    #table;
    #theme;
    #request;
    #isDark = matchMedia('(prefers-color-scheme: dark)');

    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas) {
        this.#canvas = canvas;
        this.#isDark.addEventListener('change', () => this.#clear());
        new ResizeObserver(() => this.#draw()).observe(canvas);
    }

    /**
     * Follows what the listener hears.
     * @param {import('./earshot.js').Listener} listener
     */
    start(listener) {
        this.stop();
        this.#listener = listener;
        this.#frames = [];
        const {analyser} = listener;
        this.#spectrum = new Float32Array(analyser.frequencyBinCount);
        this.#history.width = this.#columnCount;
        this.#history.height = this.#bins().count;
        this.#clear();
        const step = () => {
            this.#request = requestAnimationFrame(step);
            this.#take();
            this.#draw();
        };
        step();
    }

    /** Stays as it is. */
    stop() {
        cancelAnimationFrame(this.#request);
        this.#listener = undefined;
    }

    /**
     * Draws the tones of a frame where they were heard.
     * @param {{startSeconds: number, endSeconds: number, offsetHertz: number}} frame
     * @param {{hertz: Float32Array, symbolSeconds: number}} tones
     * @param {string} label
     */
    add(frame, tones, label) {
        this.#frames.push({frame, tones, label});
    }

    /** How many frames' tones are in the picture now. */
    get frameCount() {
        return this.#frames.length;
    }

    #bins() {
        const {analyser, sampleRateHertz} = this.#listener;
        const binHertz = sampleRateHertz / analyser.fftSize;
        const first = Math.floor(lowestHertz / binHertz);
        return {first, binHertz, count: Math.min(Math.ceil(highestHertz / binHertz), analyser.frequencyBinCount - 1) - first + 1};
    }

    #clear() {
        this.#theme = this.#isDark.matches ? 'dark' : 'light';
        this.#table = colourTable(colours[this.#theme]);
        this.#lastColumn = undefined;
        this.#noiseDecibels = undefined;
        const context = this.#history.getContext('2d');
        context.fillStyle = colours[this.#theme][0];
        context.fillRect(0, 0, this.#history.width, this.#history.height);
    }

    /** The middle of the spectrum's window lies half its length back. */
    #spectrumSeconds() {
        const {analyser, context, sampleRateHertz} = this.#listener;
        return context.currentTime - analyser.fftSize / 2 / sampleRateHertz;
    }

    /** Paints the columns since the last picture. */
    #take() {
        const column = Math.floor(this.#spectrumSeconds() * columnsPerSecond);
        const last = this.#lastColumn ?? column - 1;
        if (column <= last) return;
        this.#lastColumn = column;
        const {first, count} = this.#bins();
        this.#listener.analyser.getFloatFrequencyData(this.#spectrum);
        const band = this.#spectrum.subarray(first, first + count).map((decibels) => Math.max(decibels, -130));
        const median = band.slice().sort()[count >> 1];
        this.#noiseDecibels = this.#noiseDecibels === undefined ? median : this.#noiseDecibels + 0.05 * (median - this.#noiseDecibels);

        const context = this.#history.getContext('2d');
        const image = context.createImageData(1, count);
        const [lowest, highest] = colourDecibels;
        const floor = Math.max(this.#noiseDecibels, -118) + lowest;
        for (let row = 0; row < count; row += 1) {
            const share = (band[count - 1 - row] - floor) / (highest - lowest);
            image.data.set(this.#table[Math.round(255 * Math.min(Math.max(share, 0), 1))], 4 * row);
        }
        const held = Math.min(column - last, longestHoldSeconds * columnsPerSecond);
        context.fillStyle = colours[this.#theme][0];
        for (let missing = Math.max(last + 1, column - this.#columnCount); missing <= column - held; missing += 1) {
            context.fillRect(missing % this.#columnCount, 0, 1, count);
        }
        for (let place = column - held + 1; place <= column; place += 1) {
            context.putImageData(image, place % this.#columnCount, 0);
        }
    }

    #draw() {
        const canvas = this.#canvas;
        const scale = Math.min(devicePixelRatio || 1, 2);
        const width = canvas.clientWidth;
        const height = canvas.clientHeight;
        if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
            canvas.width = Math.round(width * scale);
            canvas.height = Math.round(height * scale);
        }
        if (this.#lastColumn === undefined) return;
        const context = canvas.getContext('2d');
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.imageSmoothingEnabled = true;
        // The oldest columns come first.
        const oldest = (this.#lastColumn + 1) % this.#columnCount;
        const columnWidth = width / this.#columnCount;
        const left = this.#columnCount - oldest;
        context.drawImage(this.#history, oldest, 0, left, this.#history.height, 0, 0, left * columnWidth, height);
        if (oldest > 0) {
            context.drawImage(this.#history, 0, 0, oldest, this.#history.height, left * columnWidth, 0, oldest * columnWidth, height);
        }
        this.#drawScale(context, width, height);
        this.#drawFrames(context, width, height);
    }

    #drawScale(context, width, height) {
        const ink = this.#theme === 'dark' ? '236, 238, 250' : '23, 26, 43';
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.textAlign = 'left';
        for (const hertz of [18500, 19000, 19500, 20000]) {
            const y = placeOf(hertz, height);
            context.fillStyle = `rgb(${ink}, 0.13)`;
            context.fillRect(0, y, width, 1);
            context.fillStyle = `rgb(${ink}, 0.62)`;
            context.fillText(`${hertz / 1000} kHz`, 8, y + 9);
        }
        context.textAlign = 'center';
        for (let seconds = 1; seconds < windowSeconds; seconds += 1) {
            context.fillText(`−${seconds} s`, width * (1 - seconds / windowSeconds), height - 10);
        }
    }

    #drawFrames(context, width, height) {
        const now = (this.#lastColumn + 1) / columnsPerSecond;
        const pixelsPerSecond = width / windowSeconds;
        const xOf = (seconds) => width - (now - seconds) * pixelsPerSecond;
        this.#frames = this.#frames.filter(({frame}) => xOf(frame.endSeconds) > -20);
        context.lineCap = 'round';
        context.textBaseline = 'middle';
        context.textAlign = 'left';
        // Labels of frames at the same time stand below each other.
        const taken = [];
        for (const {frame, tones, label} of this.#frames) {
            const symbolWidth = tones.symbolSeconds * pixelsPerSecond;
            context.strokeStyle = this.#theme === 'dark' ? '#ff9e6b' : '#e2521b';
            context.lineWidth = 3;
            context.beginPath();
            tones.hertz.forEach((hertz, number) => {
                const x = xOf(frame.startSeconds + number * tones.symbolSeconds);
                const y = placeOf(hertz + frame.offsetHertz, height);
                context.moveTo(x + Math.min(1.5, symbolWidth / 3), y);
                context.lineTo(x + Math.max(symbolWidth - 1.5, symbolWidth / 2), y);
            });
            context.stroke();

            const start = xOf(frame.startSeconds);
            context.font = '600 12px system-ui, sans-serif';
            const labelWidth = context.measureText(label).width + 16;
            let row = 0;
            while (taken.some((other) => other.row === row && start < other.end && start + labelWidth > other.start)) row += 1;
            taken.push({row, start, end: start + labelWidth + 4});
            const y = 6 + 23 * row;
            context.fillStyle = context.strokeStyle;
            context.beginPath();
            context.roundRect(start, y, labelWidth, 20, 7);
            context.fill();
            context.fillStyle = this.#theme === 'dark' ? '#1d0d04' : '#ffffff';
            context.fillText(label, start + 8, y + 10.5);
        }
    }
}

function placeOf(hertz, height) {
    return height * (highestHertz - hertz) / (highestHertz - lowestHertz);
}

/** 256 colours between the given ones, as bytes. */
function colourTable(stops) {
    const bytes = stops.map((stop) => [1, 3, 5].map((place) => Number.parseInt(stop.slice(place, place + 2), 16)));
    return Array.from({length: 256}, (_, number) => {
        const place = number / 255 * (stops.length - 1);
        const before = Math.min(Math.floor(place), stops.length - 2);
        const share = place - before;
        return [...bytes[before].map((value, part) => Math.round(value + share * (bytes[before + 1][part] - value))), 255];
    });
}
