// A real Firefox without a window, driven by its own protocol, Marionette, over TCP. It needs no package and no driver.

import {spawn} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';

const program = process.env.FIREFOX ?? 'firefox-esr';
const startSeconds = 60;
const callSeconds = 60;

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** A running Firefox with a profile of its own. */
export class Firefox {
    #process;
    #profile;
    #socket;
    #lastNumber = 0;
    #calls = new Map();
    #ended;
    #first;
    #handle;
    #queue = Promise.resolve();

    /**
     * @param {object} [options]
     * @param {object} [options.environment] Points at a sound card.
     * @param {Object<string, string|number|boolean>} [options.preferences]
     * @returns {Promise<Firefox>}
     */
    static async start({environment = process.env, preferences = {}} = {}) {
        const browser = new Firefox();
        browser.#profile = await mkdtemp(path.join(tmpdir(), 'earshot-firefox-'));
        const all = {
            // A free port, which the browser writes into its profile.
            'marionette.port': 0,
            // The microphone and sound without a question, as after a user's permission and tap.
            'media.navigator.permission.disabled': true, 'media.autoplay.default': 0, 'media.autoplay.blocking_policy': 0,
            'datareporting.policy.dataSubmissionEnabled': false, 'app.normandy.enabled': false, 'browser.safebrowsing.blockedURIs.enabled': false,
            'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
            'services.settings.server': 'data:,', 'browser.shell.checkDefaultBrowser': false, ...preferences,
        };
        await writeFile(path.join(browser.#profile, 'user.js'),
            Object.entries(all).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
        // As for Chromium: sound goes before other work where that is allowed.
        browser.#process = spawn('nice', ['-n', process.getuid() === 0 ? '-10' : '0', program,
            '--headless', '--marionette', '--no-remote', '--profile', browser.#profile, 'about:blank',
        ], {
            env: {...environment, HOME: browser.#profile, DBUS_SESSION_BUS_ADDRESS: 'disabled:', MOZ_CRASHREPORTER_DISABLE: '1'},
            stdio: ['ignore', 'ignore', process.env.EARSHOT_VERBOSE ? 'inherit' : 'ignore'],
        });
        browser.#ended = new Promise((resolve) => browser.#process.on('exit', resolve));
        browser.#process.on('error', (error) => browser.#fail(error));
        browser.#process.on('exit', (code, signal) => browser.#fail(new Error(`Firefox ended: ${code ?? signal}`)));
        await browser.#connect();
        await browser.call('WebDriver:NewSession', {capabilities: {alwaysMatch: {timeouts: {script: 1000 * callSeconds}}}});
        return browser;
    }

    async #connect() {
        const end = Date.now() + 1000 * startSeconds;
        let port;
        while (!port) {
            if (Date.now() > end || this.#process.exitCode !== null) throw new Error('Firefox opens no port');
            port = Number(await readFile(path.join(this.#profile, 'MarionetteActivePort'), 'utf8').catch(() => 0));
            if (!port) await sleep(0.1);
        }
        this.#socket = connect(port, '127.0.0.1');
        this.#socket.on('error', (error) => this.#fail(error));
        // Each message is its length in bytes, a colon, and JSON.
        let waiting = Buffer.alloc(0);
        this.#socket.on('data', (bytes) => {
            waiting = Buffer.concat([waiting, bytes]);
            for (;;) {
                const colon = waiting.indexOf(':');
                const length = Number(waiting.subarray(0, Math.max(colon, 0)).toString());
                if (colon < 0 || waiting.length < colon + 1 + length) return;
                this.#take(JSON.parse(waiting.subarray(colon + 1, colon + 1 + length).toString()));
                waiting = waiting.subarray(colon + 1 + length);
            }
        });
    }

    #take(message) {
        // The first message is a greeting.
        if (!Array.isArray(message)) return;
        const [, number, error, result] = message;
        const call = this.#calls.get(number);
        this.#calls.delete(number);
        clearTimeout(call?.timer);
        if (error) call?.reject(new Error(`${call.name}: ${error.error}: ${error.message}`));
        else call?.resolve(result?.value ?? result);
    }

    #fail(error) {
        for (const {reject, timer} of this.#calls.values()) {
            clearTimeout(timer);
            reject(error);
        }
        this.#calls.clear();
    }

    /** Calls a command of the protocol. */
    call(name, parameters = {}) {
        const number = this.#lastNumber += 1;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(`${name} got no answer in ${callSeconds} s`)), 1000 * callSeconds);
            this.#calls.set(number, {name, resolve, reject, timer});
            const text = JSON.stringify([0, number, name, parameters]);
            this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
        });
    }

    /** Opens a page in a window of its own. @returns {Promise<Page>} */
    async open(url) {
        // A window is opened from one that exists: the first one stays.
        this.#first ??= await this.call('WebDriver:GetWindowHandle');
        const {handle} = await this._callIn(this.#first, 'WebDriver:NewWindow', {type: 'window'});
        const page = new Page(this, handle);
        await page.load(url);
        return page;
    }

    /** Calls a command in a window; one after the other, because the protocol knows one window at a time. */
    _callIn(handle, name, parameters) {
        const result = this.#queue.then(async () => {
            if (this.#handle !== handle) await this.call('WebDriver:SwitchToWindow', {handle, focus: true});
            this.#handle = handle;
            return this.call(name, parameters);
        });
        this.#queue = result.catch(() => {});
        return result;
    }

    /** Stops the browser and all its processes for a while, as a machine that has no time for them. */
    async pause(seconds) {
        const processes = [this.#process.pid, ...await descendants(this.#process.pid)];
        for (const one of processes) process.kill(one, 'SIGSTOP');
        await sleep(seconds);
        for (const one of processes) process.kill(one, 'SIGCONT');
    }

    async close() {
        this.call('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
        const timer = setTimeout(() => this.#process.kill('SIGKILL'), 10000);
        await this.#ended;
        clearTimeout(timer);
        this.#socket?.destroy();
        await rm(this.#profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 200});
    }
}

/** A page of the browser, with the methods of browser.mjs that these tests need. */
export class Page {
    /** Firefox tells its console's errors to nobody here. */
    errors = [];
    #browser;
    #handle;

    constructor(browser, handle) {
        this.#browser = browser;
        this.#handle = handle;
    }

    /** Calls a command in this page. Not for others. */
    _call(name, parameters = {}) {
        return this.#browser._callIn(this.#handle, name, parameters);
    }

    /** Runs a function in the page with arguments that JSON can hold. @returns {Promise<any>} what it returns, as JSON can hold it */
    async run(body, ...values) {
        const script = `const done = arguments[arguments.length - 1];
            Promise.resolve().then(() => (${body})(...JSON.parse(arguments[0]))).then(
                value => done({value: value === undefined ? null : value}), error => done({error: String(error) + ' ' + error?.stack}));`;
        const {value, error} = await this._call('WebDriver:ExecuteAsyncScript', {script, args: [JSON.stringify(values)], sandbox: null});
        if (error !== undefined) throw new Error(`in the page: ${error}`);
        return value;
    }

    /** Waits until the function returns something true in the page, and returns that. */
    async until(body, ...values) {
        const end = Date.now() + 1000 * callSeconds;
        for (;;) {
            const value = await this.run(body, ...values);
            if (value) return value;
            if (Date.now() > end) throw new Error(`waited ${callSeconds} s for ${body}; the page says:\n${await this.text()}`);
            await sleep(0.1);
        }
    }

    async #element(selector) {
        const element = await this._call('WebDriver:FindElement', {using: 'css selector', value: selector});
        return Object.values(element)[0];
    }

    /** Clicks on the element, as a user does. */
    async click(selector) {
        await this._call('WebDriver:ElementClick', {id: await this.#element(selector)});
    }

    /** Replaces what stands in the field. */
    async fill(selector, text) {
        const id = await this.#element(selector);
        await this._call('WebDriver:ElementClear', {id});
        await this._call('WebDriver:ElementSendKeys', {id, text});
    }

    async load(url) {
        await this._call('WebDriver:Navigate', {url});
    }

    /** What is to be read on the page. */
    text() {
        return this.run(() => document.body.innerText);
    }

    /** Sets the size of the window. */
    async setScreen({width, height}) {
        await this._call('WebDriver:SetWindowRect', {width, height});
    }

    /** Writes a picture of the page. */
    async picture(file) {
        await writeFile(file, Buffer.from(await this._call('WebDriver:TakeScreenshot', {full: true}), 'base64'));
    }

    async close() {
        await this._call('WebDriver:CloseWindow');
    }
}

/** The processes that a process started, and those that they started. */
async function descendants(parent) {
    const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')).split(' ').filter(Boolean).map(Number);
    const found = await Promise.all(children.map(descendants));
    return [...children, ...found.flat()];
}
