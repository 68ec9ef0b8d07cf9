/** What was made of resources that are gone is let go of, although nobody asks for documents any more. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mergeCatalogue } from '../../../../src/extension/custom-resources/merged-catalogue.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { ResourceCatalogue, ServedResource } from '../../../../src/registry/types.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { openRoom } from '../../../support/http/room.ts';
import { makeTempFolder } from '../../../support/temp-folder.ts';
import { waitFor } from '../../../support/wait-for.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const naming = namingProfiles.kubernetes;
const { catalogue: builtIn, schemas } = realCatalogue(naming);

/** A custom resource that is like this built-in one. */
function custom(): ServedResource {
  const like = builtIn.resource('apps', 'v1', 'deployments');
  if (!like) throw new Error('no deployments');
  const [group, version] = ['example.com', 'v1'];
  return {
    ...like,
    gvr: { group, version, resource: 'widgets' },
    gvk: { group, version, kind: 'Widget' },
    listKind: 'WidgetList',
    definition: { ...like.definition, subresources: [] },
    description: {
      ...{ object: 'example.com/v1.Widget', list: 'example.com/v1.WidgetList', digest: '1' },
      define: () => Promise.resolve({ 'example.com/v1.Widget': {}, 'example.com/v1.WidgetList': {} }),
    },
  };
}

/** By itself, so that no variable holds what it gives. */
function heldIn(catalogue: ResourceCatalogue): WeakRef<ServedResource> {
  const resource = catalogue.resource('example.com', 'v1', 'widgets');
  if (!resource) throw new Error('no widgets');
  return new WeakRef(resource);
}

test('documents, their pieces and what they were made from', async () => {
  const folder = await makeTempFolder('gone');
  let catalogue = mergeCatalogue(builtIn, [custom()]);
  const listeners: ((gone: ReadonlySet<string>) => void)[] = [];
  const room = await openRoom(folder.path, {
    ...{ naming, schemas, catalogue: () => catalogue },
    onResourcesGone: (listener) => {
      listeners.push(listener);
    },
  });
  try {
    for (const path of ['/openapi/v3', '/openapi/v3/apis/example.com/v1', '/openapi/v2'])
      expect((await room.ask(path)).code).toBe(200);
    const held = heldIn(catalogue);
    catalogue = builtIn;
    for (const tell of listeners) tell(new Set(['example.com/v1/widgets']));
    await waitFor('the resource to be let go of', async () => {
      collect();
      await new Promise(setImmediate);
      return held.deref() === undefined;
    });
  } finally {
    await room.close();
    await folder.remove();
  }
});
