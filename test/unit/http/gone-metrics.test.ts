/** Definitions come and go. Those that are gone leave no series of requests behind, also of requests that end later. */
import { mergeCatalogue } from '../../../src/extension/custom-resources/merged-catalogue.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const naming = namingProfiles.kubernetes;
const { catalogue: builtIn } = realCatalogue(naming);
const path = '/apis/example.com/v1/widgets';

function custom(): ServedResource {
  const like = builtIn.resource('apps', 'v1', 'deployments');
  if (!like) throw new Error('no deployments');
  const [group, version] = ['example.com', 'v1'];
  const gvr = { group, version, resource: 'widgets' };
  return { ...like, gvr, gvk: { group, version, kind: 'Widget' }, listKind: 'WidgetList' };
}

test('series of requests go with their resource', async () => {
  const folder = await makeTempFolder('gone-metrics');
  const served = mergeCatalogue(builtIn, [custom()]);
  let catalogue = served;
  const listeners: ((gone: ReadonlySet<string>) => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener(new Set(['example.com/v1/widgets']));
  };
  const room = await openRoom(folder.path, {
    ...{ naming, catalogue: () => catalogue },
    onResourcesGone: (listener) => {
      listeners.push(listener);
    },
  });
  const seriesOf = async (resource: string): Promise<number> =>
    (await room.metrics.text()).split(`resource="${resource}"`).length - 1;
  try {
    await room.ask(path);
    await room.ask('/api/v1/pods');
    await waitFor(
      'both to be counted',
      async () => (await seriesOf('widgets')) > 40 && (await seriesOf('pods')) > 40,
    );
    tell();
    expect(await seriesOf('widgets')).toBeGreaterThan(40); // It has only changed.

    const { promise: asked, resolve: isAsked } = Promise.withResolvers<undefined>();
    const { promise: goOn, resolve: release } = Promise.withResolvers<undefined>();
    const { authorize } = room;
    room.authorize = async (...words) => {
      isAsked(undefined);
      await goOn;
      return authorize(...words);
    };
    const late = room.ask(path, { method: 'DELETE' });
    await asked;
    catalogue = builtIn;
    tell();
    expect(await seriesOf('widgets')).toBe(0);
    release(undefined);
    await late;
    room.authorize = authorize;
    await room.ask('/api/v1/services');
    await waitFor('a later request to be counted', async () => (await seriesOf('services')) > 0);
    expect(await seriesOf('widgets')).toBe(0);
    expect(await seriesOf('pods')).toBeGreaterThan(40);

    catalogue = served;
    await room.ask(path);
    await waitFor('one of the same name to be counted', async () => (await seriesOf('widgets')) > 40);
  } finally {
    await room.close();
    await folder.remove();
  }
});
