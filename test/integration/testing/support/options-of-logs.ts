/** A program that starts a control plane with an option `logs`, its argument, makes the service log a line, and stops. */
import { startControlPlane, type LogsOption } from '../../../../src/testing/index.ts';

const controlPlane = await startControlPlane({ logs: process.argv[2] as LogsOption });
await controlPlane.admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
console.log((await controlPlane.logs()) === '' ? 'no log' : 'a log');
await controlPlane.stop();
