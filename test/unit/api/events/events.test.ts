import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../../support/kind.ts';

const kind = new Kind('events.events');
const minimal: JsonObject = {
  metadata: { name: 'web.1', namespace: 'default' },
  eventTime: '2021-01-01T00:00:00.000000Z',
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  reportingComponent: 'example.com/agent',
  reportingInstance: 'agent-1',
};
testErrors(kind, minimal, [
  ['metadata.name', 'Web_1', 'metadata.name Invalid'],
  ['eventTime', undefined, 'eventTime Required'],
  ['type', 'Odd', 'type NotSupported'],
  ['reason', '', 'reason Required'],
  ['action', 'x'.repeat(129), 'action Invalid'],
  ['reportingComponent', 'a b', 'reportingController Invalid'],
  ['reportingInstance', '', 'reportingInstance Required'],
  ['message', 'x'.repeat(1025), 'note Invalid'],
  ['count', 1, 'deprecatedCount Invalid'],
  ['firstTimestamp', '2021-01-01T00:00:00Z', 'deprecatedFirstTimestamp Invalid'],
  ['lastTimestamp', '2021-01-01T00:00:00Z', 'deprecatedLastTimestamp Invalid'],
  ['source', { component: 'a' }, 'deprecatedSource Invalid'],
  ['series', { count: 1, lastObservedTime: '2021-01-01T00:00:01.000000Z' }, 'series.count Invalid'],
  ['series', { count: 2 }, 'series.lastObservedTime Required'],
]);

test('only the series and the note change through v1; v1beta1 asks for less', () => {
  const before = kind.created(minimal);
  const series = { count: 2, lastObservedTime: '2021-01-01T00:00:01.000000Z' };
  expect(kind.updateErrors(before, { ...minimal, series })).toEqual([]);
  expect(brief(kind.updateErrors(before, { ...minimal, reason: 'Other', message: 'x' }))).toEqual([
    'reason Invalid',
  ]);
  expect(kind.updateErrors(before, { ...minimal, message: 'x' })).toEqual([]);
  expect(brief(kind.updateErrors(before, { ...minimal, message: 'x'.repeat(1025) }))).toEqual([
    'note Invalid',
  ]);
  expect(brief(kind.updateErrors(before, { ...minimal, series: { ...series, count: 1 } }))).toEqual([
    'series.count Invalid',
  ]);
  const beta = new Kind('events.events', contextWith({ version: 'v1beta1' }));
  expect(beta.createErrors(withValue(minimal, 'metadata.name', 'Web_1'))).toEqual([]);
  expect(beta.createErrors(withValue(withValue(minimal, 'eventTime', undefined), 'count', 3))).toEqual([]);
  expect(beta.updateErrors(before, { ...minimal, reason: 'Other' })).toEqual([]);
});

test('one storage, words of this group', () => {
  expect(kind.definition.storedIn).toEqual({ group: '', folder: 'core' });
  expect(Object.keys(kind.definition.selectableFields)).toContain('regarding.name');
  const beta = kind.definition.versions[1];
  const core = {
    count: 1,
    involvedObject: { name: 'a' },
    message: 'm',
    reportingComponent: 'c',
    reason: 'r',
  };
  const here = {
    deprecatedCount: 1,
    regarding: { name: 'a' },
    note: 'm',
    reportingController: 'c',
    reason: 'r',
  };
  expect(beta?.fromStorage?.({ ...core }, kind.context.naming)).toEqual(here);
  expect(beta?.toStorage?.({ ...here }, kind.context.naming)).toEqual(core);
});
