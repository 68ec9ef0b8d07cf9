/** What a scope of faults may have. */
import type { FaultScope } from './fault-orders.ts';
import { aBoolean, isCount, isText, that, type Checks } from './judge.ts';

const verbs: ReadonlySet<unknown> = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', '*'],
]);

const eachOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const aCount = that('a whole number from 0', isCount);

export const scopeChecks: Checks<FaultScope> = {
  user: that('the name of a user', isText),
  verb: that(`one or more of ${[...verbs].join(', ')}`, (value) =>
    eachOf(value).every((each) => verbs.has(each)),
  ),
  resource: that('one or more resources, such as pods or deployments.apps', (value) =>
    eachOf(value).every(isText),
  ),
  namespace: that('the name of a namespace', isText),
  name: that('the name of an object', isText),
  rate: that('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1),
  times: aCount,
  after: aCount,
  requests: that(
    'a list of requests, such as `update configmaps default/web of jane #2`',
    (value) => Array.isArray(value) && value.every(isText),
  ),
  includeAdminClient: aBoolean,
};
