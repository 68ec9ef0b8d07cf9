/** The suite of the same name, over the etcd in memory. */
import '../../../support/etcd/in-memory.ts';
import '../dry-run.test.ts';
