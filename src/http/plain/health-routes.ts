/**
 * `/healthz`, `/livez`, `/readyz` and their single checks. The reason of a failed check is mostly only logged
 * (`health-log.ts`): everyone may ask.
 */
import type { Clock } from '../../base/clock.ts';
import { withoutEndSlashes } from '../../base/end-slashes.ts';
import type { HealthChecks, HealthGroup, HealthResult } from '../../observe/health-checks.ts';
import type { RequestContext } from '../request-context.ts';
import { sendNotFoundPage, sendText } from '../respond.ts';
import { HealthLog, type HealthLogParts } from './health-log.ts';
import type { PlainRoute } from './plain-route.ts';

const groups: readonly HealthGroup[] = ['healthz', 'livez', 'readyz'];

export function healthRoutes(
  health: HealthChecks,
  logger: HealthLogParts['logger'],
  clock: Clock,
): PlainRoute[] {
  const log = new HealthLog({ clock, logger });
  return groups.map((group) => ({
    path: `/${group}{/*check}`,
    listed: () => [`/${group}`, ...health.names(group).map((name) => `/${group}/${name}`)],
    serve: (context) => serveHealth(context, { health, group, log }),
  }));
}

interface HealthRequest {
  readonly health: HealthChecks;
  readonly group: HealthGroup;
  readonly log: HealthLog;
}

async function serveHealth(context: RequestContext, request: HealthRequest): Promise<void> {
  const { health, group, log } = request;
  const check = withoutEndSlashes(context.info.path.slice(group.length + 2));
  const names = health.names(group);
  if (check !== '' && !names.includes(check)) {
    sendNotFoundPage(context);
    return;
  }
  const excluded = new Set(check === '' ? context.query.all('exclude') : names.filter((n) => n !== check));
  const all = await health.run(group, excluded);
  const results = check === '' ? all : all.filter((r) => r.name === check);
  const failed = results.filter((r) => r.outcome === 'failed');
  log.note(group, results);
  const surplus = [...excluded].filter((name) => !names.includes(name));
  if (failed.length > 0) sendText(context, 500, `${report(results, surplus)}${group} check failed\n`);
  else if (!context.query.has('verbose')) sendText(context, 200, 'ok');
  else sendText(context, 200, `${report(results, surplus)}healthz check passed\n`);
}

function report(results: readonly HealthResult[], surplus: readonly string[]): string {
  const lines = results.map(line);
  if (surplus.length > 0) {
    const names = surplus.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  return lines.join('');
}

function line({ name, outcome, problem, isPublic }: HealthResult): string {
  if (outcome === 'excluded') return `[+]${name} excluded: ok\n`;
  return outcome === 'ok'
    ? `[+]${name} ok\n`
    : `[-]${name} failed: ${isPublic ? problem : 'reason withheld'}\n`;
}
