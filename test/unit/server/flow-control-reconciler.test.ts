/** How often a replica sets the objects of flow control right that somebody else has otherwise. */
import { bootstrapObjects } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { flowControlGroup, flowSchemasPlural } from '../../../src/flowcontrol/flow-objects.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import { DamagedObjects } from '../../../src/server/damaged-objects.ts';
import { FlowControlReconciler } from '../../../src/server/flow-control/flow-control-reconciler.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { naming } from '../../support/admission.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { HandClock } from '../../support/hand-clock.ts';

const { catalogue } = realCatalogue(naming);
const signal = new AbortController().signal;

/** Longer objects are written by write threads. */
const large = 64 * 1024;

/** Replicas that have the same objects and see each write at once. */
class Stage {
  /** Flow schemas of clients. */
  readonly others: Entry[] = [];
  readonly clock = new HandClock();
  /** Names of what was written. */
  readonly written: string[] = [];
  private readonly entries = new Map<string, Entry>();
  private revision = 0;

  /** Names of what was given to write threads. */
  readonly elsewhere: string[] = [];

  private keep(plural: string, object: JsonObject): void {
    this.revision += 1;
    const { name } = object['metadata'] as { name: string };
    const text = Buffer.from(JSON.stringify(object));
    const entry = newEntry(`${flowControlGroup(naming)}/${plural}`, name, text, this.revision);
    this.entries.set(`${plural}/${name}`, entry);
    this.written.push(name);
  }

  /** A client writes a flow schema without a level. */
  store(name: string, users: number): void {
    const subjects = Array.from({ length: users }, (_, i) => ({
      kind: 'User',
      user: { name: `user-${String(i)}` },
    }));
    const spec = { priorityLevelConfiguration: { name: 'none' }, rules: [{ subjects }] };
    const apiVersion = `${flowControlGroup(naming)}/v1beta1`;
    this.keep(flowSchemasPlural, { apiVersion, kind: 'FlowSchema', metadata: { name }, spec });
    const entry = this.entries.get(`${flowSchemasPlural}/${name}`);
    if (entry) this.others.push(entry);
  }

  replica(minor: number): FlowControlReconciler {
    const write = ({ resource }: RequestScope, _name: string, object: JsonObject): Promise<void> => {
      this.keep(resource.gvr.resource, object);
      return Promise.resolve();
    };
    const verbs = { create: write, replace: write } as unknown as ResourceVerbs;
    return new FlowControlReconciler({
      ...{ naming, catalogue, clock: this.clock, isAnnotated: true },
      objects: bootstrapObjects(naming, { major: 1, minor }),
      verbs: () => verbs,
      writesElsewhere: {
        write: (scope, name, { operation }) => {
          const entry = this.entries.get(`${scope.resource.gvr.resource}/${name}`);
          if (entry === undefined || entry.bytes.length < large) return undefined;
          this.elsewhere.push(`${operation} ${name} ${scope.subresource}`);
          return Promise.resolve(entry);
        },
        grown: () => Promise.reject(new Error('nothing grows')),
        deletions: () => undefined,
      },
      entry: (plural, name) => this.entries.get(`${plural}/${name}`),
      entries: (plural) => (plural === flowSchemasPlural ? [...this.others] : []),
      storage: { snapshot: () => Promise.resolve({} as never) },
      damaged: new DamagedObjects(silentLogger),
    });
  }
}

test('what somebody changes comes back at once', async () => {
  const stage = new Stage();
  await stage.replica(21).reconcile(signal);
  const later = stage.replica(24);
  await later.reconcile(signal);
  stage.written.length = 0;
  await stage.replica(21).reconcile(signal);
  expect(stage.written).toContain('system-leader-election');
});

test('replicas of two releases take an object from each other a few times, then once a minute', async () => {
  const stage = new Stage();
  const [earlier, later] = [stage.replica(21), stage.replica(24)];
  const roundsFor = async (minutes: number): Promise<number> => {
    stage.written.length = 0;
    for (let round = 0; round < minutes * 120; round += 1) {
      await earlier.reconcile(signal);
      await later.reconcile(signal);
      stage.clock.advance(500);
    }
    return stage.written.filter((name) => name === 'system-leader-election').length;
  };
  expect(await roundsFor(1)).toBeLessThanOrEqual(14);
  const inTenMinutes = await roundsFor(10);
  // Neither gives up.
  expect(inTenMinutes).toBeGreaterThanOrEqual(18);
  expect(inTenMinutes).toBeLessThanOrEqual(22);
});

test('a large schema of a client is written by a write thread', async () => {
  const stage = new Stage();
  stage.store('huge', 10_000);
  stage.store('tiny', 1);
  stage.written.length = 0;
  await stage.replica(21).reconcile(signal);
  expect(stage.elsewhere).toEqual(['replace huge status']);
  expect(stage.written).toContain('tiny');
  expect(stage.written).not.toContain('huge');
});
