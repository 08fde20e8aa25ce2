// Serves the page's folder as a real server would, with its security policy.

import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The built page: earshot.wasm and all files beside it. EARSHOT_PAGE names another folder. */
export const pageFolder = process.env.EARSHOT_PAGE ?? path.join(root, '.build/web/page');

if (!existsSync(path.join(pageFolder, 'earshot.wasm'))) throw new Error(`${pageFolder} has no earshot.wasm: run make web`);

const contentTypes = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
    '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.png': 'image/png', '.json': 'application/json',
    '.webmanifest': 'application/manifest+json',
};

const securityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' https:; "
    + "worker-src 'self'; manifest-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Starts a server on a free port.
 * @param {object} [options]
 * @param {string} [options.folder]
 * @param {string} [options.under] Where the folder's files are, such as `node_modules/earshot/`.
 * @param {Object<string, string|((text: string) => string)>} [options.replaced] Files that are served otherwise: their text, or
 *     a function of the text that the folder has.
 * @returns {Promise<{port: number, url: string, uploads: Map<string, Buffer>, close: () => Promise<void>}>} What pages PUT is
 *     in `uploads` by its path.
 */
export async function serve({folder = pageFolder, under = '', replaced = {}} = {}) {
    const uploads = new Map();
    const server = createServer(async (request, response) => {
        const {pathname} = new URL(request.url, 'http://localhost');
        if (request.method === 'PUT') {
            const parts = [];
            for await (const part of request) parts.push(part);
            uploads.set(pathname, Buffer.concat(parts));
            response.end();
            return;
        }
        const name = pathname === '/' ? 'index.html' : pathname.slice(1);
        response.setHeader('Content-Security-Policy', securityPolicy);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        response.setHeader('Cache-Control', 'no-store');
        try {
            const change = replaced[name];
            const file = name.startsWith(under) ? name.slice(under.length) : '';
            if (!/^[\w.-]+$/.test(file) && change === undefined) throw new Error('no such file');
            const body = typeof change === 'string' ? change : await readFile(path.join(folder, file));
            response.setHeader('Content-Type', contentTypes[path.extname(name)] ?? 'application/octet-stream');
            response.end(typeof change === 'function' ? change(body.toString()) : body);
        } catch {
            response.statusCode = 404;
            response.end('no such file\n');
        }
    });
    await new Promise((resolve) => server.listen(0, '0.0.0.0', resolve));
    const {port} = server.address();
    return {
        port, uploads,
        url: `http://127.0.0.1:${port}/`,
        close: () => new Promise((resolve) => {
            server.close(resolve);
            server.closeAllConnections();
        }),
    };
}
