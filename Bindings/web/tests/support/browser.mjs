// A real Chromium without a window, driven by the DevTools protocol over a pipe. It needs no package.

import {spawn} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';

const program = process.env.CHROMIUM ?? 'chromium';
/** The longest that a single call may take on a busy machine. */
const callSeconds = 60;

/** A running Chromium with a profile of its own. */
export class Browser {
    #process;
    #profile;
    #lastNumber = 0;
    #calls = new Map();
    #sessions = new Map();
    #ended;

    /**
     * @param {object} [options]
     * @param {object} [options.environment] Points at a sound card.
     * @param {string[]} [options.flags]
     * @returns {Promise<Browser>}
     */
    static async start({environment = process.env, flags = []} = {}) {
        const browser = new Browser();
        browser.#profile = await mkdtemp(path.join(tmpdir(), 'earshot-chromium-'));
        // Sound goes before other work where that is allowed. On a desktop, a service gives sound threads their priority.
        browser.#process = spawn('nice', ['-n', process.getuid() === 0 ? '-10' : '0', program,
            '--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--no-default-browser-check',
            '--disable-dev-shm-usage', '--disable-extensions', '--disable-background-networking',
            '--disable-component-update', '--disable-sync', '--hide-scrollbars',
            // 85 ms and not 21: a busy machine then drops less.
            '--audio-buffer-size=4096',
            `--user-data-dir=${browser.#profile}`, '--remote-debugging-pipe', ...flags, 'about:blank',
        ], {
            env: {...environment, DBUS_SESSION_BUS_ADDRESS: 'disabled:'},
            stdio: ['ignore', 'ignore', process.env.EARSHOT_VERBOSE ? 'inherit' : 'ignore', 'pipe', 'pipe'],
        });
        browser.#ended = new Promise((resolve) => browser.#process.on('exit', resolve));
        browser.#process.on('error', (error) => browser.#fail(error));
        browser.#process.on('exit', (code, signal) => browser.#fail(new Error(`Chromium ended: ${code ?? signal}`)));
        browser.#process.stdio[3].on('error', () => {});
        let waiting = Buffer.alloc(0);
        browser.#process.stdio[4].on('data', (bytes) => {
            waiting = Buffer.concat([waiting, bytes]);
            for (let end; (end = waiting.indexOf(0)) >= 0; waiting = waiting.subarray(end + 1)) {
                browser.#take(JSON.parse(waiting.subarray(0, end).toString()));
            }
        });
        await browser.call('Browser.getVersion');
        return browser;
    }

    /** Calls a method of the protocol. */
    call(method, parameters = {}, sessionId = undefined) {
        const id = this.#lastNumber += 1;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                this.#calls.delete(id);
                reject(new Error(`${method} got no answer in ${callSeconds} s`));
            }, 1000 * callSeconds);
            this.#calls.set(id, {method, resolve, reject, timer});
            this.#process.stdio[3].write(`${JSON.stringify({id, method, params: parameters, sessionId})}\0`);
        });
    }

    /**
     * Opens a page.
     * @param {string} url
     * @param {object} [options]
     * @param {boolean} [options.allowsMicrophone] The answer to the question for the microphone.
     * @param {string} [options.script] Runs in the page before its own scripts.
     * @param {boolean} [options.allowsInlineScripts] Whether the page may break its security policy.
     * @param {boolean} [options.hasWindow] Whether it gets a window of its own. Otherwise one page hides the other.
     * @returns {Promise<Page>}
     */
    async open(url, {allowsMicrophone = true, allowsInlineScripts = false, script = '', hasWindow = false} = {}) {
        const {targetId} = await this.call('Target.createTarget', {url: 'about:blank', newWindow: hasWindow});
        const {sessionId} = await this.call('Target.attachToTarget', {targetId, flatten: true});
        const page = new Page(this, targetId, sessionId);
        this.#sessions.set(sessionId, page);
        const {origin, hostname} = new URL(url);
        // The browser gives permissions to secure origins only.
        if (hostname === '127.0.0.1') {
            await this.call('Browser.setPermission', {
                permission: {name: 'microphone'}, setting: allowsMicrophone ? 'granted' : 'denied', origin,
            });
        }
        if (allowsInlineScripts) await page.call('Page.setBypassCSP', {enabled: true});
        await page._start(url, script);
        return page;
    }

    async close() {
        this.call('Browser.close').catch(() => {});
        const timer = setTimeout(() => this.#process.kill('SIGKILL'), 5000);
        await this.#ended;
        clearTimeout(timer);
        await rm(this.#profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 200});
    }

    #take({id, result, error, method, params, sessionId}) {
        if (id === undefined) {
            this.#sessions.get(sessionId)?._event(method, params);
            return;
        }
        const call = this.#calls.get(id);
        if (call === undefined) return;
        this.#calls.delete(id);
        clearTimeout(call.timer);
        if (error === undefined) call.resolve(result);
        else call.reject(new Error(`${call.method}: ${error.message}`));
    }

    #fail(error) {
        for (const {reject, timer} of this.#calls.values()) {
            clearTimeout(timer);
            reject(error);
        }
        this.#calls.clear();
    }
}

/** A page of the browser. */
export class Page {
    /** What the page wrote to its console as errors, what it did not catch, and violations of its security policy. */
    errors = [];
    #browser;
    #targetId;
    #sessionId;
    #loaded;
    #markLoaded;

    constructor(browser, targetId, sessionId) {
        this.#browser = browser;
        this.#targetId = targetId;
        this.#sessionId = sessionId;
        this.#loaded = new Promise((resolve) => this.#markLoaded = resolve);
    }

    call(method, parameters) {
        return this.#browser.call(method, parameters, this.#sessionId);
    }

    /** Opens the address. Not for others. */
    async _start(url, script) {
        await this.call('Page.enable');
        await this.call('Runtime.enable');
        await this.call('Log.enable');
        if (script !== '') await this.call('Page.addScriptToEvaluateOnNewDocument', {source: script});
        const {errorText} = await this.call('Page.navigate', {url});
        if (errorText) throw new Error(`${url}: ${errorText}`);
        await this.#loaded;
    }

    _event(method, parameters) {
        if (method === 'Page.loadEventFired') this.#markLoaded();
        if (method === 'Log.entryAdded' && parameters.entry.level === 'error') {
            this.errors.push(`${parameters.entry.text} ${parameters.entry.url ?? ''}`);
        }
        if (method === 'Runtime.exceptionThrown') {
            const details = parameters.exceptionDetails;
            this.errors.push(details.exception?.description ?? details.text);
        }
        if (method === 'Runtime.consoleAPICalled' && parameters.type === 'error') {
            this.errors.push(parameters.args.map(({value, description}) => value ?? description).join(' '));
        }
    }

    /**
     * Runs a function in the page with arguments that JSON can hold, as a user's tap would.
     * @returns {Promise<any>} What it returns, as JSON can hold it.
     */
    async run(body, ...values) {
        const expression = `(${body})(...${JSON.stringify(values)})`;
        const {result, exceptionDetails} = await this.call('Runtime.evaluate', {
            expression, awaitPromise: true, returnByValue: true, userGesture: true,
        });
        if (exceptionDetails !== undefined) {
            throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
        }
        return result.value;
    }

    /** Waits until the function returns something true in the page, and returns that. */
    async until(body, ...values) {
        const end = Date.now() + 1000 * callSeconds;
        for (;;) {
            const value = await this.run(body, ...values);
            if (value) return value;
            if (Date.now() > end) {
                throw new Error(`waited ${callSeconds} s for ${body}; the page says:\n${await this.text()}\n${this.errors.join('\n')}`);
            }
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }

    /** Clicks on the element, as a mouse does. */
    async click(selector) {
        const place = await this.run((wanted) => {
            const element = document.querySelector(wanted);
            element.scrollIntoView({block: 'center', behavior: 'instant'});
            const {left, top, width, height} = element.getBoundingClientRect();
            return {x: left + width / 2, y: top + height / 2};
        }, selector);
        for (const type of ['mousePressed', 'mouseReleased']) {
            await this.call('Input.dispatchMouseEvent', {type, ...place, button: 'left', clickCount: 1});
        }
    }

    /** Replaces what stands in the field. */
    async fill(selector, text) {
        await this.run((wanted) => {
            const field = document.querySelector(wanted);
            field.focus();
            field.select();
        }, selector);
        await this.call('Input.insertText', {text});
    }

    /** What is to be read on the page. */
    text() {
        return this.run(() => document.body.innerText);
    }

    /** Puts the page in front. */
    toFront() {
        return this.call('Page.bringToFront');
    }

    /** Sets the screen. */
    async setScreen({width, height, scale = 1, isPhone = false, isDark = false}) {
        await this.call('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile: isPhone});
        await this.call('Emulation.setTouchEmulationEnabled', {enabled: isPhone});
        await this.call('Emulation.setEmulatedMedia', {
            features: [{name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light'}],
        });
    }

    /** Writes a picture of the page. */
    async picture(file, {wholePage = false} = {}) {
        const {data} = await this.call('Page.captureScreenshot', {format: 'png', captureBeyondViewport: wholePage});
        await writeFile(file, Buffer.from(data, 'base64'));
    }

    async close() {
        await this.#browser.call('Target.closeTarget', {targetId: this.#targetId});
    }
}
