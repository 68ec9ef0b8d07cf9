/** Passes the log of a container from the agent of its node to the client, as it grows. */
import type { Clock } from '../../base/clock.ts';
import type { PassedRequest } from '../../http/pass-on.ts';
import { badRequest, StatusError } from '../../meta/status.ts';
import { askBackend, type BackendAnswer } from '../../proxy/ask-backend.ts';
import { hostOf } from '../../proxy/headers.ts';
import { logOutputOf } from './log-output.ts';
import { BackendError, type Backend, type ProxyWaits } from '../../proxy/types.ts';

/** What is read of an agent's error. */
const longestError = 50_000;
const errorMs = 10_000;

interface LogParts extends ProxyWaits {
  /** Of the pod. */
  readonly name: string;
  readonly apiDomain: string;
}

/** @throws StatusError of the agent's answer; BackendError */
export async function passLog(
  client: PassedRequest,
  backend: Backend,
  { name, clock, patience, apiDomain }: LogParts,
): Promise<void> {
  const output = logOutputOf(client, apiDomain, clock);
  const { signal } = client;
  const headers = ['Host', hostOf(backend)];
  const answer = await askBackend(backend, { method: 'GET', headers, signal }, { clock, patience });
  const code = answer.response.statusCode ?? 500;
  if (code < 200 || code > 206) throw refusalOf(code, name, await beginningOf(answer, clock));
  try {
    await output.send(answer.body);
  } catch (error) {
    throw new BackendError('the log ended early', { cause: error });
  } finally {
    answer.response.destroy();
  }
}

/** Behaviour: GenericHttpResponseChecker and NewGenericServerResponse of apiserver and apimachinery. */
function refusalOf(code: number, name: string, text: string): StatusError {
  const about = `( pods/log ${name})`;
  if (code === 500) return new StatusError(500, 'InternalError', `Internal error occurred: ${text}`);
  if (code === 400) return badRequest(text);
  if (code === 404)
    return new StatusError(404, 'NotFound', `the server could not find the requested resource ${about}`);
  if (code === 401) {
    const problem = `the server has asked for the client to provide credentials ${about}`;
    return new StatusError(401, 'Unauthorized', problem);
  }
  if (code === 403) return new StatusError(403, 'Forbidden', text);
  if (code >= 300 && code < 400)
    return new StatusError(500, 'InternalError', 'the agent of the node redirects, which is not followed');
  const problem = `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return new StatusError(code, code >= 500 ? 'InternalError' : 'Unknown', `${problem} ${about}`);
}

async function beginningOf({ response, body }: BackendAnswer, clock: Clock): Promise<string> {
  const late = clock.setTimeout(() => response.destroy(), errorMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= longestError) break;
    }
  } catch {
    // What has arrived says enough.
  } finally {
    clock.clear(late);
  }
  return Buffer.concat(chunks).subarray(0, longestError).toString();
}
