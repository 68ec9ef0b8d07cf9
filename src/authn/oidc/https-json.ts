/** A JSON document over HTTPS: no redirects are followed, and neither time nor size is without bound. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { messageOf } from '../../base/errors.ts';
import { byName } from '../../base/host-names.ts';
import { limitInformational, wholeBody } from '../../base/http-response.ts';
import { isObject, type JsonObject } from '../../base/json.ts';

/** JSON.parse takes up to 13 ms for them. Providers with 128 keys and their certificates publish less. */
const maxResponseBytes = 128 * 1024;

/** @param ca authorities that are trusted, PEM @throws Error when there is no such document */
export async function httpsJson(url: URL, ca: readonly string[], signal: AbortSignal): Promise<JsonObject> {
  const text = await textOf(await open(url, ca, signal), url);
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error(`${url.href} answered no JSON object`);
  return value;
}

function open(url: URL, ca: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json' };
    const options = { ...byName, ca: [...ca], agent: false, signal, headers };
    const sent = request(url, options).on('response', resolve).on('error', reject);
    limitInformational(sent);
    // Of an answer that switches protocols (101) Node says nothing but that the connection is closed.
    sent.on('close', () => {
      reject(new Error(`${url.href} closed the connection without an answer`));
    });
    sent.end();
  });
}

async function textOf(response: IncomingMessage, url: URL): Promise<string> {
  const { statusCode = 0 } = response;
  if (statusCode !== 200) {
    response.destroy();
    throw new Error(`${url.href} answered ${String(statusCode)}`);
  }
  const bytes = await wholeBody(response, maxResponseBytes).catch((cause: unknown) => {
    throw new Error(`${url.href}: ${messageOf(cause)}`, { cause });
  });
  return bytes.toString('utf8');
}
