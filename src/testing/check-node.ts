/** Control planes run in the Node of the test. */

const oldest = { major: 20, minor: 15 };

/** @throws Error that says what to do, if this Node is too old */
export function checkNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return;
  const needed = `${String(oldest.major)}.${String(oldest.minor)}`;
  throw new Error(
    `orch-apiserver needs Node ${needed} or newer, and this process runs Node ${version}: ` +
      'run the tests with a newer one (`node --version` shows which one comes first in PATH)',
  );
}
