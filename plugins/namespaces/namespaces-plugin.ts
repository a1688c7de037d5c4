import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { appendAuthorise, Clock, Cursors, NodeSelf, optional, Random } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { createJudgeOwned } from './judge-owned.ts';
import { namespaceCommands } from './namespace-commands.ts';
import { listNamespacesRoute, removeNamespaceRoute, setNamespaceRoute } from './namespace-routes.ts';
import { NamespaceService } from './namespace-service.ts';
import { NAMESPACE_OWNED, Namespaces } from './namespaces-api.ts';
import { namespacesMigrations } from './namespaces-migrations.ts';
import { SEALED } from './rule-row.ts';
import { RuleStore } from './rule-store.ts';
import { transferNamespaces } from './transfer-namespaces.ts';

interface Settings {
  readonly enabled: boolean;
}

export const namespacesPlugin = defineOwnPlugin({
  name: 'namespaces',
  summary: 'Gives entities, and paths of entities, to owners who alone write about them',
  requires: { clock: Clock, random: Random, cursors: Cursors, self: NodeSelf, audit: optional(AuditLog) },
  provides: [Namespaces],
  declares: [NAMESPACE_OWNED],
  config: objectSchema<Settings>({
    enabled: {
      type: 'boolean',
      default: false,
      env: 'SVC_NAMESPACES_ENABLED',
      description: 'refuse facts about entities of a namespace from all but its owners; without, rules are only kept',
    },
  }),
  migrations: namespacesMigrations,
  sealed: [SEALED],
  commands: [namespaceCommands],
  setup({ config: { enabled }, use, tables, on, provide, route }) {
    const { clock, random, cursors, self, audit } = use;
    const { names } = self;
    const store = new RuleStore({ tables, random, names });
    const namespaces = new NamespaceService({ isEnforced: enabled, tables, store, clock, names, audit });
    provide(Namespaces, namespaces);
    route(listNamespacesRoute({ namespaces, clock, cursors }));
    route(setNamespaceRoute(namespaces));
    route(removeNamespaceRoute(namespaces));
    on(tenantTransfer, () => transferNamespaces({ tables, store, names }));
    if (enabled) on(appendAuthorise, createJudgeOwned({ store, self }));
  },
});
