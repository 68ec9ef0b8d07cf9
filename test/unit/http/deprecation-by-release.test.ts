/** Which kinds each release warns of, in which words, compared with the facts about their lives. */
import { createDeprecationNotice } from '../../../src/http/filters/deprecation.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import {
  catalogueAt,
  factName,
  factsOf,
  minorOf,
  minors,
  releaseOf,
  resourcesOf,
  type Fact,
} from '../../support/facts/facts.ts';

/** Deprecated without marks: the reference warns by code. */
const unmarked: Readonly<Record<string, string>> = {
  'core/v1.ComponentStatus': '1.19',
  'core/v1.Endpoints': '1.33',
};
/** The specification of 1.21 says so, which the facts do not. */
const specified: Readonly<Record<string, Fact>> = {
  'batch/v2alpha1.CronJob': { deprecated: '1.21', removed: '1.22' },
};
const lives = new Map(
  factsOf('lifecycle').map((life) => [
    `${life['group'] ?? ''}/${life['version'] ?? ''}.${life['kind'] ?? ''}`,
    life,
  ]),
);

function warningsOf(resource: ServedResource, minor: number): string[] {
  const warned: string[] = [];
  const context = {
    ...{ warn: (text: string) => warned.push(text), annotate: () => undefined },
    ...{ user: { name: 'own' }, info: { subresource: '' } },
  } as unknown as RequestContext;
  createDeprecationNotice({
    metrics: createServerMetrics(new Metrics()),
    ...{ release: releaseOf(minor), logger: silentLogger, ownUser: 'own' },
    clock: { now: () => 0, monotonic: () => 0 },
  })(context, resource);
  return warned;
}

/** The beginning of the warning, as far as facts say what it says; undefined: there is none. */
function expectedOf(resource: ServedResource, minor: number): string | undefined {
  const name = factName(resource);
  const { deprecated = '', removed = '' } =
    name in specified ? (specified[name] ?? {}) : (lives.get(name) ?? {});
  const since = unmarked[name] ?? deprecated;
  if (since === '' || minorOf(since) > minor) return undefined;
  const { gvk } = resource;
  const apiVersion = gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`;
  return `${apiVersion} ${gvk.kind} is deprecated in v${since}+${removed === '' ? '' : `, unavailable in v${removed}+`}`;
}

test.each(minors)('in 1.%i', (minor) => {
  const all = resourcesOf(catalogueAt(minor, { 'api/all': true })).filter((one) => lives.has(factName(one)));
  const wrong = all.flatMap((resource) => {
    const [found, ...more] = warningsOf(resource, minor);
    const expected = expectedOf(resource, minor);
    const begins = expected === undefined ? found === undefined : found?.startsWith(expected) === true;
    return begins && more.length === 0
      ? []
      : [`${factName(resource)}: ${String(found)}, not ${String(expected)}`];
  });
  expect(all.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});
