import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { appendAuthorise, Clock, NodeSelf, optional } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { refuseTypes } from './refuse-types.ts';
import { relationCommands } from './relation-commands.ts';
import { addRelationRoute, listRelationsRoute, removeRelationRoute, setRelationRoute } from './relation-routes.ts';
import { RelationService } from './relation-service.ts';
import { RelationRules } from './relations-api.ts';
import { relationsMigrations } from './relations-migrations.ts';
import { RELATION_RULE_CHANGED } from './relations-words.ts';
import { RULES_CHANGED, RuleBook } from './rule-book.ts';
import { transferRelations } from './transfer-relations.ts';

export const relationsPlugin = defineOwnPlugin({
  name: 'relations',
  summary: 'Lets relations hold many values, by rules of the administrator; without a rule each holds one',
  requires: { clock: Clock, self: NodeSelf, audit: optional(AuditLog) },
  provides: [RelationRules],
  declares: [RELATION_RULE_CHANGED],
  migrations: relationsMigrations,
  commands: [relationCommands],
  async setup({ use, tables, hooks, on, onSignal, provide, route }) {
    const { clock, self, audit } = use;
    const { names } = self;
    const book = new RuleBook(tables);
    await book.load();
    onSignal(RULES_CHANGED, () => book.load());
    const rules = new RelationService({ tables, book, clock, names, hooks, audit });
    provide(RelationRules, rules);
    route(listRelationsRoute(rules));
    route(addRelationRoute(rules));
    route(setRelationRoute(rules));
    route(removeRelationRoute(rules));
    on(appendAuthorise, (batch) => refuseTypes(batch, rules));
    on(tenantTransfer, () => transferRelations({ tables, hooks, names, clock }));
  },
});
