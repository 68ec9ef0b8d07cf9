/** Profiles of the serving process at `/debug/pprof/`, for `go tool pprof`. Not listed at `/`, as in kube-apiserver. */
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { steadyOf } from '../../base/clock.ts';
import { badRequest, tooManyRequests } from '../../meta/status.ts';
import type { Profiler } from '../../observe/profiling/profiler.ts';
import type { RequestContext } from '../request-context.ts';
import { sendBody, sendBytes } from '../respond.ts';
import type { PlainRoute } from './plain-route.ts';

const folder = '/debug/pprof';
const packed = promisify(gzip);

/** As in Go. */
const usualSeconds = 30;
/** Left of the time of a request for the profile to be packed and sent. */
const reserveMs = 2_000;

const index = `<!DOCTYPE html>
<title>${folder}/</title>
<p>Profiles of this process, for "go tool pprof URL":</p>
<ul>
<li><a href="heap">heap</a>: where memory was allocated that is in use</li>
<li><a href="profile?seconds=10">profile</a>: where processor time is spent during seconds=N</li>
</ul>
`;

export function profilingRoutes(profiler: Pick<Profiler, 'cpu' | 'heap'>): PlainRoute[] {
  const listed = (): readonly string[] => [];
  return [
    { path: folder, listed, serve: serveIndex },
    {
      path: `${folder}/heap`,
      listed,
      serve: async (context) => {
        await sendProfile(context, 'heap', await profiler.heap());
      },
    },
    {
      path: `${folder}/profile`,
      listed,
      serve: async (context) => {
        const ms = secondsOf(context) * 1000;
        const profile = await profiler.cpu(ms, context.signal);
        if (profile === undefined) throw tooManyRequests('another profile is being taken', ms / 1000);
        await sendProfile(context, 'profile', profile);
      },
    },
  ];
}

/** Links of the index are relative to the folder. */
function serveIndex(context: RequestContext): void {
  if (context.rawPath.endsWith('/')) sendBytes(context, 200, 'text/html; charset=utf-8', Buffer.from(index));
  else {
    const extra = ['Location', `${folder}/`];
    sendBody(context, { code: 302, contentType: 'text/plain; charset=utf-8', extra }, Buffer.from(''));
  }
}

/** A profile ends before the deadline of its request. */
function secondsOf(context: RequestContext): number {
  const text = context.query.get('seconds');
  const clock = steadyOf(context.phase.clock);
  const leftMs = Math.max(context.overdueAt - clock.monotonic() - reserveMs, 1_000);
  const most = Math.floor(Math.min(leftMs, 3_600_000) / 1000);
  if (text === '') return Math.min(usualSeconds, most);
  const seconds = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > most)
    throw badRequest(`seconds must be a number from 1 to ${String(most)}, before the request times out`);
  return seconds;
}

async function sendProfile(context: RequestContext, name: string, profile: Buffer): Promise<void> {
  const extra = ['Content-Disposition', `attachment; filename="${name}"`];
  sendBody(context, { code: 200, contentType: 'application/octet-stream', extra }, await packed(profile));
}
