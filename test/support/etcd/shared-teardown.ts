/** After a run of suites that share an etcd: stops it. */
export { stopShared as default } from './shared-setup.ts';
