/** Discovery with thousands of resources is made in slices. */
import { atOnce, resultInSlices } from '../../../../src/base/sliced-work.ts';
import { aggregatedDocument, aggregatedJson } from '../../../../src/http/discovery/aggregated.ts';
import { apiResourceListDocument } from '../../../../src/http/discovery/discovery-documents.ts';
import type { DiscoveryGroup } from '../../../../src/http/discovery/discovery-groups.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../../support/cpu-time.ts';
import { turnsOf } from '../../../support/turns.ts';

const naming = namingProfiles.orch;
const deployments = realCatalogue(naming).catalogue.resource('apps', 'v1', 'deployments');
if (!deployments) throw new Error('no deployments');
const { gvr } = deployments;
const local = {
  ...{ versionPriority: 1, enabledByDefault: true, served: true },
  version: 'v1',
  resources: Array.from({ length: 8_000 }, (_, i) =>
    Object.assign(Object.create(deployments) as typeof deployments, {
      gvr: { ...gvr, resource: `things${String(i)}` },
    }),
  ),
};
const groups: DiscoveryGroup[] = [{ group: 'apps', versions: [{ version: 'v1', local }] }];

async function longestOf(work: () => Promise<unknown>): Promise<number> {
  return leastOfThree(async () => (await turnsOf(work))[0] ?? 0);
}

test('the aggregated document', async () => {
  const make = () => resultInSlices(aggregatedDocument(naming, groups, ['/apis', 'v2']));
  const document = await make();
  expect(document.items).toEqual(atOnce(aggregatedDocument(naming, groups, ['/apis', 'v2'])).items);
  expect(Buffer.concat(atOnce(aggregatedJson(document))).toString()).toBe(JSON.stringify(document));
  expect(await longestOf(make)).toBeLessThan(cpuBudget(15));
});

test('the list of a version', async () => {
  const make = () => resultInSlices(apiResourceListDocument('apps', local));
  expect(await make()).toEqual(atOnce(apiResourceListDocument('apps', local)));
  expect(await longestOf(make)).toBeLessThan(cpuBudget(20));
});
