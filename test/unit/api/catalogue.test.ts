import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { allVerbs } from '../../../src/api/types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newestRelease } from '../../../src/observe/release.ts';

const schemas = loadCatalogueSchemas(namingProfiles.orch, newestRelease.minor);
const resources = builtInGroups.flatMap((group) => group.resources.map((resource) => ({ group, resource })));
const named = resources.map(
  ({ group, resource }) => [`${group.folder} ${resource.kind}`, group, resource] as const,
);

const expected: Readonly<Record<string, string>> = {
  core:
    'bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims ' +
    'persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services',
  admissionregistration:
    'mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations ' +
    'validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations',
  apiextensions: 'customresourcedefinitions',
  apiregistration: 'apiservices',
  apps: 'controllerrevisions daemonsets deployments replicasets statefulsets',
  authentication: 'selfsubjectreviews tokenreviews',
  authorization:
    'localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews',
  autoscaling: 'horizontalpodautoscalers',
  batch: 'cronjobs jobs',
  certificates: 'certificatesigningrequests clustertrustbundles podcertificaterequests',
  coordination: 'leasecandidates leasecandidates leases',
  discovery: 'endpointslices',
  events: 'events',
  extensions: 'daemonsets deployments ingresses networkpolicies podsecuritypolicies replicasets',
  flowcontrol: 'flowschemas prioritylevelconfigurations',
  internal: 'storageversions',
  networking: 'clustercidrs ingressclasses ingresses ipaddresses networkpolicies servicecidrs',
  node: 'runtimeclasses',
  policy: 'poddisruptionbudgets podsecuritypolicies',
  rbac: 'clusterrolebindings clusterroles rolebindings roles',
  resource:
    'deviceclasses devicetaintrules podschedulingcontexts podschedulings resourceclaimparameters resourceclaims resourceclaims ' +
    'resourceclaimtemplates resourceclaimtemplates resourceclasses resourceclassparameters resourcepoolstatusrequests ' +
    'resourceslices resourceslices',
  scheduling: 'podgroups priorityclasses workloads workloads',
  storage:
    'csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses',
  storagemigration: 'storageversionmigrations storageversionmigrations',
};

test('the kinds of every group are there', () => {
  const found = builtInGroups.map((group) => [
    group.folder,
    group.resources
      .map(({ plural }) => plural)
      .sort()
      .join(' '),
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('plurals, kinds and short names are said once in a group, but for kinds of an earlier shape', () => {
  for (const group of builtInGroups) {
    const current = group.resources.filter(({ storedAs }) => storedAs === undefined);
    const words = current.flatMap(({ plural, shortNames }) => [plural, ...shortNames]);
    expect(new Set(words).size).toBe(words.length);
  }
});

describe.each(named)('%s', (_name, group, resource) => {
  test('each version has its schema in the group', () => {
    const versions = group.versions.map(({ version }) => version);
    for (const { version } of resource.versions) {
      expect(versions).toContain(version);
      expect(schemas.get(`${group.folder}/${version}.${resource.kind}`).type).toBe('struct');
    }
    if (resource.storedIn) {
      const home = builtInGroups.find(({ group: name }) => name === resource.storedIn?.group);
      expect(home?.resources.map(({ plural }) => plural)).toContain(resource.plural);
    } else expect(resource.versions.map(({ version }) => version)).toContain(resource.storageVersion);
  });

  test('verbs are known, columns begin with a name or say it last', () => {
    expect(resource.verbs.filter((verb) => !(allVerbs as readonly string[]).includes(verb))).toEqual([]);
    // The reference names no format for one kind.
    const format = resource.kind === 'StorageVersionMigration' && !resource.storedAs ? '' : 'name';
    expect(resource.columns.some((column) => column.name === 'Name' && column.format === format)).toBe(true);
    expect(resource.columns.every((column) => column.description !== '')).toBe(true);
  });
});

test('which deletions answer with the object (specification, operations of VolumeAttachment and CSINode)', () => {
  const answers = resources.filter(({ resource }) => resource.strategy.deleteReturns === 'object');
  expect([...new Set(answers.map(({ resource }) => resource.plural))].sort()).toEqual([
    'csidrivers',
    'csinodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'podsecuritypolicies',
    'podtemplates',
    'resourcequotas',
    'serviceaccounts',
    'storageclasses',
    'volumeattachments',
  ]);
});
