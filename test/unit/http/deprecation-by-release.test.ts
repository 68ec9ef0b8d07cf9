/** Which kinds each release warns of, in which words, compared with the facts about their lives. */
import type { ServedResource } from '../../../src/registry/types.ts';
import {
  catalogueAt,
  factName,
  factsOf,
  minorOf,
  minors,
  resourcesOf,
  type Fact,
} from '../../support/facts/facts.ts';
import { deprecationWarnings } from '../../support/http/deprecation-warnings.ts';

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
    const [found, ...more] = deprecationWarnings(resource, minor);
    const expected = expectedOf(resource, minor);
    const begins = expected === undefined ? found === undefined : found?.startsWith(expected) === true;
    return begins && more.length === 0
      ? []
      : [`${factName(resource)}: ${String(found)}, not ${String(expected)}`];
  });
  expect(all.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});
