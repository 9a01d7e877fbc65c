/** Objection models of the tables that shared/settings changes: columns and relations, no hooks. */
import { Model, snakeCaseMappers } from 'objection';

interface Grant {
  readonly on: string;
  readonly can: readonly string[];
}

class Table extends Model {
  static override columnNameMappers = snakeCaseMappers();
}

export class RoleRow extends Table {
  static override tableName = 'roles';
  static override jsonAttributes = ['grants'];

  declare id: string;
  declare name: string;
  declare grants: readonly Grant[];
  declare builtIn: boolean;
  declare createdAt: number;
  declare updatedAt: number;
}

/** The relation to the role. The column `role` is its id, so the relation needs another name. */
const itsRole = (table: string) => ({
  itsRole: {
    relation: Model.BelongsToOneRelation,
    modelClass: RoleRow,
    join: { from: `${table}.role`, to: 'roles.id' },
  },
});

export class AgentRow extends Table {
  static override tableName = 'agents';
  static override relationMappings = itsRole('agents');

  declare id: string;
  declare name: string;
  declare role: string;
  declare itsRole: RoleRow;
  declare mode: 'normal' | 'readonly' | 'supervised';
  declare environments: string[];
  declare createdBy: string | null;
  declare expiresAt: number | null;
  declare lastUsedAt: number | null;
  declare createdAt: number;
  declare revokedAt: number | null;
}

export class PersonRow extends Table {
  static override tableName = 'people';
  static override relationMappings = itsRole('people');

  declare id: string;
  declare email: string;
  declare name: string;
  declare role: string;
  declare itsRole: RoleRow;
  declare passwordHash: string | null;
  declare environments: string[];
  declare createdAt: number;
  declare removedAt: number | null;
}

export class EnvironmentRow extends Table {
  static override tableName = 'environments';

  declare id: number;
  declare name: string;
}

export class AppKeyRow extends Table {
  static override tableName = 'app_keys';
  static override relationMappings = {
    environment: {
      relation: Model.BelongsToOneRelation,
      modelClass: EnvironmentRow,
      join: { from: 'app_keys.env', to: 'environments.id' },
    },
  };

  declare id: string;
  declare env: number;
  declare environment: EnvironmentRow;
  declare name: string;
  declare lastUsedAt: number | null;
  declare createdAt: number;
  declare revokedAt: number | null;
}
