/** A program that starts a control plane, writes a kubeconfig and forgets to stop. Prints the path. */
import { startControlPlane } from '../../../../src/testing/index.ts';

const controlPlane = await startControlPlane();
console.log(await controlPlane.kubeconfigFile());
