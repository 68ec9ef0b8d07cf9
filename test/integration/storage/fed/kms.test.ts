/** The suite of the same name, over a storage that another one feeds. */
import '../../../support/fed.ts';
import '../kms.test.ts';
