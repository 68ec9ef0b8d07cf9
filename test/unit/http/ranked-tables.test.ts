/** Tables of flow schemas, which are sorted: all are read before the first row, in turns. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { Representations } from '../../../src/http/representation/negotiation.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const types = createWireTypes(() => catalogue, schemas);
const resource = catalogue.resource('flowcontrol.apiserver.orch.io', 'v1beta1', 'flowschemas');
const room = new Representations({ ...systemEnvironment, metrics: createServerMetrics(new Metrics()) });
const turns = countedTurns();

/** One whose text is long: to read it takes three milliseconds. */
function flowSchema(i: number): Entry {
  const name = `schema-${String(i)}`;
  const object = {
    ...{ kind: 'FlowSchema', apiVersion: 'flowcontrol.apiserver.orch.io/v1beta1' },
    ...{ metadata: { name }, spec: { matchingPrecedence: 1_000 - (i % 10) } },
  };
  const entry = entryOf(object, name, i + 1);
  const { bytes } = entry;
  return Object.defineProperty(entry, 'bytes', {
    get: () => {
      turns.step(3);
      return bytes;
    },
  });
}

function tableContext(essence: string): RequestContext {
  const accept = `${essence};as=Table;g=meta.orch.io;v=v1`;
  return {
    query: { text: '?', get: (name: string) => (name === 'includeObject' ? 'None' : ''), has: () => false },
    header: (name: string) => (name === 'accept' ? accept : ''),
    ...{ phase: { types }, req: { headers: {} } },
  } as unknown as RequestContext;
}

test.each(['application/json', 'application/yaml'])(
  'the flow schemas of a table in %s are read a few in a turn',
  async (essence) => {
    if (!resource) throw new Error('no flow schemas');
    const entries = Array.from({ length: 60 }, (_, i) => flowSchema(i));
    const form = room.of(tableContext(essence), resource, 'list');
    const slices = form.list({ revision: 100, entries, continue: '', remainingItemCount: undefined }).slices;
    let text = '';
    for (const slice of slices) {
      text += (await slice).toString();
      await new Promise(setImmediate);
    }
    const names = [...text.matchAll(/schema-\d+/g)].map(([name]) => Number(name.slice(7)));
    expect(names).toEqual(entries.map((_, i) => i).sort((a, b) => (b % 10) - (a % 10) || a - b));
    // Three are over the six milliseconds of a slice; the row of a large one reads it up to three times.
    expect(turns.most()).toBeLessThanOrEqual(9);
  },
);
