import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Clock, FactRestore, NodeSelf } from '../../kernel/plugin-api.ts';
import { exportCommand } from './export-command.ts';
import { importCommand } from './import-command.ts';
import { createTenantTransfer } from './tenant-transfer.ts';
import { EXPIRY_IMPORTED, TenantTransfer } from './transfer-api.ts';

export const transferPlugin = defineOwnPlugin({
  name: 'transfer',
  summary: 'Exports a whole tenant to a file, and imports such a file into another store',
  requires: { clock: Clock, self: NodeSelf, restore: FactRestore },
  provides: [TenantTransfer],
  declares: [EXPIRY_IMPORTED],
  commands: [importCommand, exportCommand],
  setup({ use, tables, hooks, provide }) {
    provide(TenantTransfer, createTenantTransfer({ ...use, tables, hooks }));
  },
});
