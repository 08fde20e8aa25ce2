// Draws the band from 18 to 20.5 kHz over time, and on it the tones of the decoded frames.

const lowestHertz = 18000;
const highestHertz = 20500;
const windowSeconds = 6;
const columnsPerSecond = 100;
/** A longer pause between two pictures stays empty: the page was in the background. */
const longestHoldSeconds = 0.25;
/** The range of the colours in decibels above the noise. */
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

    /** Stops, and keeps the picture. */
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

    /** The number of frames whose tones are in the picture. */
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

    /** The middle of the spectrum's window is half its length back. */
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
        this.#drawTones(context, width, height);
        this.#drawScale(context, width, height);
        this.#drawTags(context, width, height);
    }

    /** The column of a time, in pixels from the left. */
    #placeOfTime(seconds, width) {
        const now = (this.#lastColumn + 1) / columnsPerSecond;
        return width - (now - seconds) * width / windowSeconds;
    }

    get #toneColour() {
        return this.#theme === 'dark' ? '#ff9e6b' : '#e2521b';
    }

    #drawScale(context, width, height) {
        const ink = this.#theme === 'dark' ? '236, 238, 250' : '23, 26, 43';
        const background = this.#theme === 'dark' ? 'rgb(15, 19, 34, 0.85)' : 'rgb(247, 248, 253, 0.85)';
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.textAlign = 'left';
        const write = (text, left, y) => {
            context.fillStyle = background;
            context.beginPath();
            context.roundRect(left - 4, y - 8, context.measureText(text).width + 8, 16, 5);
            context.fill();
            context.fillStyle = `rgb(${ink}, 0.85)`;
            context.fillText(text, left, y);
        };
        for (const hertz of [18500, 19000, 19500, 20000]) {
            const y = placeOf(hertz, height);
            context.fillStyle = `rgb(${ink}, 0.13)`;
            context.fillRect(0, y, width, 1);
            write(`${hertz / 1000} kHz`, 8, y);
        }
        for (let seconds = 1; seconds < windowSeconds; seconds += 1) {
            const text = `−${seconds} s`;
            write(text, width * (1 - seconds / windowSeconds) - context.measureText(text).width / 2, height - 11);
        }
    }

    #drawTones(context, width, height) {
        this.#frames = this.#frames.filter(({frame}) => this.#placeOfTime(frame.endSeconds, width) > 0);
        context.lineCap = 'round';
        context.lineWidth = 3;
        context.strokeStyle = this.#toneColour;
        for (const {frame, tones} of this.#frames) {
            const symbolWidth = tones.symbolSeconds * width / windowSeconds;
            context.beginPath();
            tones.hertz.forEach((hertz, number) => {
                const x = this.#placeOfTime(frame.startSeconds + number * tones.symbolSeconds, width);
                const y = placeOf(hertz + frame.offsetHertz, height);
                context.moveTo(x + Math.min(1.5, symbolWidth / 3), y);
                context.lineTo(x + Math.max(symbolWidth - 1.5, symbolWidth / 2), y);
            });
            context.stroke();
        }
    }

    #drawTags(context, width, height) {
        context.font = '600 12px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.textAlign = 'left';
        const widthOf = (text) => context.measureText(text).width;
        const frames = this.#frames.map(({frame, label}) => ({start: this.#placeOfTime(frame.startSeconds, width), label}));
        for (const {label, left, top, width: tagWidth} of placeTags(frames, {width, height, widthOf})) {
            context.fillStyle = this.#toneColour;
            context.beginPath();
            context.roundRect(left, top, tagWidth, tagHeight, 7);
            context.fill();
            context.fillStyle = this.#theme === 'dark' ? '#1d0d04' : '#ffffff';
            context.fillText(label, left + tagPadding, top + tagHeight / 2 + 0.5);
        }
    }
}

const tagHeight = 20;
const tagPadding = 8;
const tagMargin = 4;
/** The times are below the tags. */
const scaleHeight = 24;

/**
 * Places the tags of frames: each begins with its frame, lies within the picture, and below those that would touch it.
 * @param {{start: number, label: string}[]} frames Where each frame begins, in pixels from the left; the oldest first.
 * @param {{width: number, height: number, widthOf: (text: string) => number}} picture
 * @returns {{label: string, left: number, top: number, width: number}[]} Without those for which there is no room. A label that
 *     is wider than the picture ends with "…".
 */
export function placeTags(frames, {width, height, widthOf}) {
    const tags = [];
    const widest = width - 2 * tagMargin;
    // The newest first: if there is no room for all, the oldest go.
    for (const {start, label} of frames.toReversed()) {
        let shown = label;
        const letters = [...label];
        while (letters.length > 0 && widthOf(shown) + 2 * tagPadding > widest) {
            letters.pop();
            shown = `${letters.join('')}…`;
        }
        const tagWidth = widthOf(shown) + 2 * tagPadding;
        const left = Math.max(Math.min(start, width - tagMargin - tagWidth), tagMargin);
        let top = tagMargin + 2;
        const touches = (tag) => tag.top === top && left < tag.left + tag.width + tagMargin && left + tagWidth + tagMargin > tag.left;
        while (tags.some(touches)) top += tagHeight + 3;
        if (top + tagHeight <= height - scaleHeight) tags.push({label: shown, left, top, width: tagWidth});
    }
    return tags;
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
