/** The controller of definitions without a server: how often it looks at all of them. */
import type { CustomResourceDefinition } from '../../../src/api/apiextensions/custom-resource-definitions.ts';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { DefinitionController } from '../../../src/extension/custom-resources/definition-controller.ts';
import type {
  CatalogueListener,
  DynamicCatalogue,
} from '../../../src/extension/custom-resources/dynamic-catalogue.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { cpuBudget, threadCpuMs } from '../../support/cpu-time.ts';
import { definition } from '../../support/custom-resources.ts';
import { waitFor } from '../../support/wait-for.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const builtIn = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });

/** Definitions of which each has its own group; every write of a status waits for ever. */
class Definitions {
  readonly collection = 'apiextensions.orch.io/customresourcedefinitions';
  readonly patched: string[] = [];
  /** Groups that were looked at. */
  readonly asked: string[] = [];
  readonly controller: DefinitionController;
  /** By group. */
  private readonly entries = new Map<string, Entry>();
  private readonly release = Promise.withResolvers<never>();
  private changed: CatalogueListener = () => undefined;

  constructor() {
    const verbs = {
      patch: (_scope: unknown, name: string) => {
        this.patched.push(name);
        return this.release.promise;
      },
    };
    this.controller = new DefinitionController({
      ...systemEnvironment,
      catalogue: this as unknown as DynamicCatalogue,
      builtIn,
      verbs: verbs as unknown as ResourceVerbs,
      log: { warn: () => undefined } as unknown as Logger,
    });
  }

  onChange(changed: CatalogueListener): void {
    this.changed = changed;
  }

  definition(name: string): Entry | undefined {
    return this.entries.get(name.replace('things.', ''));
  }

  definitionsIn(group: string): Entry[] {
    this.asked.push(group);
    const entry = this.entries.get(group);
    return entry ? [entry] : [];
  }

  resourceOf(): undefined {
    return undefined;
  }

  fresh(): Promise<void> {
    return Promise.resolve();
  }

  add(count: number): void {
    for (let i = 0; i < count; i++) {
      const n = String(this.entries.size);
      const group = `g${n}.example.com`;
      const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
      const made = definition('things', 'Thing', { group, names });
      const metadata = { name: `things.${group}`, uid: n, creationTimestamp: '2021-01-01T00:00:00Z' };
      const object = { ...made, metadata } as unknown as CustomResourceDefinition;
      const bytes = encodeStored(object as unknown as Parameters<typeof encodeStored>[0]);
      const where = { collection: this.collection, key: metadata.name, modRevision: 1 };
      this.entries.set(group, { ...where, bytes, memo: undefined });
    }
  }

  /** Of changes in these groups. */
  tell(groups: Iterable<string> = this.entries.keys()): void {
    this.changed(new Set(), new Set(groups));
  }

  async close(): Promise<void> {
    const closed = this.controller.close();
    this.release.reject(new Error('closed'));
    await closed;
  }
}

test('a burst of changes of a thousand definitions is not a look at all of them each time', async () => {
  const all = new Definitions();
  all.add(1_000);
  all.tell();
  const before = threadCpuMs();
  for (let i = 0; i < 200; i++) {
    all.tell();
    await Promise.resolve();
  }
  const used = threadCpuMs() - before;
  await all.close();
  expect(used).toBeLessThan(cpuBudget(300));
});

test('a change is a look at its group alone', async () => {
  const all = new Definitions();
  all.add(100);
  all.tell(['g5.example.com']);
  await waitFor('it is worked on', () => Promise.resolve(all.patched.length === 1 || undefined));
  expect(new Set(all.asked)).toEqual(new Set(['g5.example.com']));
  await all.close();
});

test('what changes soon after a look is looked at, too', async () => {
  const all = new Definitions();
  all.add(1);
  all.tell();
  all.add(1);
  all.tell();
  await waitFor('both are worked on', () =>
    all.patched.length === 2 ? Promise.resolve(true) : Promise.resolve(undefined),
  );
  await all.close();
  expect(all.patched).toEqual(['things.g0.example.com', 'things.g1.example.com']);
});
