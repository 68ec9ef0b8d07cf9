import { checkNode } from '../../../src/testing/check-node.ts';

test.each(['20.15.0', '20.20.2', '22.0.0', '26.10.0'])('Node %s runs control planes', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

test.each(['18.20.4', '20.14.9'])('Node %s is too old, and the error says what to do', (version) => {
  expect(() => checkNode(version)).toThrow(
    `needs Node 20.15 or newer, and this process runs Node ${version}: run the tests with a newer one`,
  );
});
