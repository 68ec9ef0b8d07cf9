/** Configurations of flow control without a replica around them. */
import { systemClock } from '../../src/base/clock.ts';
import { bootstrapObjects, bootstrapSources } from '../../src/flowcontrol/bootstrap-configuration.ts';
import { FlowConfiguration } from '../../src/flowcontrol/flow-configuration.ts';
import type { LevelSource, SchemaSource } from '../../src/flowcontrol/flow-objects.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import type { RequestInfo } from '../../src/meta/request-info.ts';
import type { UserInfo } from '../../src/meta/user.ts';
import { createBorrowingMetrics, createFlowControlMetrics } from '../../src/observe/flow-control-metrics.ts';
import { currentRelease } from '../../src/observe/release.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { parseRequestInfo } from '../../src/http/request-info-resolver.ts';
import { Query } from '../../src/http/query.ts';

export const objects = bootstrapObjects(namingProfiles.orch, currentRelease);
const mandatory = bootstrapSources(objects.filter(({ isMandatory }) => isMandatory));

export interface TestFlows {
  readonly configuration: FlowConfiguration;
  readonly metrics: Metrics;
  readonly clock: { time: number };
}

export function makeFlows(serverSeats = 600, fallback = mandatory, borrows = false): TestFlows {
  const metrics = new Metrics();
  const clock = { time: 0 };
  const configuration = new FlowConfiguration({
    ...{ serverSeats, fallback, catchAll: 'catch-all', headerPrefix: 'X-Test-', seed: 'seed' },
    metrics: createFlowControlMetrics(metrics),
    borrowing: borrows ? createBorrowingMetrics(metrics) : undefined,
    clock: { ...systemClock, monotonic: () => clock.time },
  });
  return { configuration, metrics, clock };
}

export function user(name: string, ...groups: string[]): UserInfo {
  return { name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} };
}

/** `GET /api/v1/pods` */
export function request(text: string): RequestInfo {
  const [method = '', target = ''] = text.split(' ');
  const [path = '', query = ''] = target.split('?');
  return parseRequestInfo(method, path, new Query(query));
}

export function level(name: string, shares: number, queuing?: object, lends: object = {}): LevelSource {
  const limitResponse = queuing ? { type: 'Queue', queuing } : { type: 'Reject' };
  const spec = { type: 'Limited', limited: { assuredConcurrencyShares: shares, limitResponse, ...lends } };
  return { name, uid: `uid-${name}`, spec };
}

export function schema(name: string, of: string, precedence: number, ...rules: object[]): SchemaSource {
  const spec = { priorityLevelConfiguration: { name: of }, matchingPrecedence: precedence, rules };
  return { name, uid: `uid-${name}`, spec };
}

const everything = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};

/** A rule about everything that these users do. */
export function everythingOf(...subjects: object[]): object {
  return {
    subjects,
    resourceRules: [everything],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}

export function userSubject(name: string): object {
  return { kind: 'User', user: { name } };
}
