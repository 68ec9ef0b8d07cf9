/** A program that starts a control plane, writes a kubeconfig and forgets to stop. Prints the path. Its argument: the engine. */
import { startControlPlane } from '../../../../src/testing/index.ts';

const controlPlane = await startControlPlane({ engine: process.argv[2] === 'etcd' ? 'etcd' : 'memory' });
console.log(await controlPlane.kubeconfigFile());
