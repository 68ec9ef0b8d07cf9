/** Large objects, and a stand-in of the thread that makes their forms. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import {
  largeEntryBytes,
  type FormOrder,
  type LargeForms,
} from '../../../src/http/representation/large-forms.ts';
import { Representations } from '../../../src/http/representation/negotiation.ts';
import { partOf } from '../../../src/http/representation/part-of.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../catalogue.ts';

export const naming = namingProfiles.orch;
export const { catalogue, schemas } = realCatalogue(naming);
export const types = createWireTypes(() => catalogue, schemas);

export function cronJobs(version: string): ServedResource {
  const resource = catalogue.resource('batch', version, 'cronjobs');
  if (!resource) throw new Error('there are no cron jobs');
  return resource;
}

export function representations({ hasLinks = false } = {}): Representations {
  return new Representations({ ...systemEnvironment, metrics: createServerMetrics(new Metrics()), hasLinks });
}

/** A CronJob with many members; one of more than half of what is large has more bytes than that. */
export function entry(name: string, bytes: number, revision = 7): Entry {
  const note = Array.from({ length: 8_000 }, (_, i) => `${i},`).join('') + 'ä'.repeat(bytes / 2);
  const metadata = { name, namespace: 'ns', annotations: { note: bytes > largeEntryBytes / 2 ? note : 'ä' } };
  const object = { kind: 'CronJob', apiVersion: 'batch/v1', metadata, spec: { schedule: '* * * * *' } };
  return newEntry('batch/cronjobs', `ns/${name}`, Buffer.from(JSON.stringify(object)), revision);
}

/** Makes forms as a thread does: from nothing but plain data. */
export class Elsewhere implements LargeForms {
  readonly orders: FormOrder[] = [];
  readonly #forms = representations();

  async make(order: FormOrder, { collection, key, bytes, modRevision }: Entry): Promise<Buffer> {
    this.orders.push(order);
    await Promise.resolve();
    const { resource, spec, part } = structuredClone(order);
    const form = this.#forms.form(cronJobs(resource.version), spec, types);
    const copy = newEntry(collection, key, Buffer.from(bytes), modRevision);
    return partOf(form, copy, part);
  }
}
