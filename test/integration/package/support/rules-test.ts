/** Rules of a definition, evaluated: the text of a test for any version of Node. */
export const rulesTest = `test('rules of a definition', async () => {
  const rule = { rule: 'self.size < 5 && self.name.matches("^[a-z]+$")' };
  const properties = { size: { type: 'integer' }, name: { type: 'string', pattern: '^(a|b|c)*x?$' } };
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
  const kinds = { plural: 'shirts', singular: 'shirt', kind: 'Shirt', listKind: 'ShirtList' };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'shirts.shop.test' },
    spec: { group: 'shop.test', scope: 'Namespaced', names: kinds, versions: [version] },
  };
  const controlPlane = await startControlPlane({ release: '1.30', objects: [definition] });
  const shirt = (size) => ({ apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'one' }, spec: { size, name: 'abcx' } });
  const refused = await controlPlane.admin.create(shirt(9)).catch((error) => error);
  equal(refused.status?.code, 422);
  await controlPlane.admin.create(shirt(4));
  await controlPlane.stop();
});`;
