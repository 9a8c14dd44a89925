// The database of measurements: SQLite through libsql, in WAL mode with synchronous=FULL, so that what was stored survives a
// crash, and several processes can write. Queries are kysely's and know no dialect.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { AuspexError } from '../../util/errors.js';
import { createTables, DATA_TABLES, type DataTable, KEYS, SCHEMA_VERSION, type Tables } from './schema.js';

/** What is used of libsql; its binary comes inside the registry package. */
interface Libsql extends SqliteDatabase {
  readonly inTransaction: boolean;
  pragma(text: string): unknown;
}

/**
 * When a disk is full, SQLite ends a transaction by itself. Rolling it back again would be an error, which would hide why.
 */
function endedOnce(sqlite: Libsql): SqliteDatabase {
  const nothing = {
    reader: false,
    run: () => ({ changes: 0, lastInsertRowid: 0 }),
    all: () => [],
    iterate: () => [].values(),
  };
  return {
    prepare: (sql) => (/^rollback$/i.test(sql) && !sqlite.inTransaction ? nothing : sqlite.prepare(sql)),
    close: () => sqlite.close(),
  };
}

const BUSY_MS = 10_000;

/** `AUSPEX_DB`, or the folder for data of users. */
export function defaultDatabase(environment: NodeJS.ProcessEnv = process.env): string {
  const { AUSPEX_DB, XDG_DATA_HOME } = environment;
  return AUSPEX_DB || join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'auspex', 'auspex.db');
}

/** Rows of one table, or several. */
export type TableRow = { [T in DataTable]: { readonly table: T; readonly row: Tables[T] } }[DataTable];

/** A measurement with the names of its device and network. */
export type MeasuredRow = Tables['measurements'] & {
  readonly device_name: string;
  readonly network_name: string;
};

export class Database {
  readonly path: string;
  readonly #db: Kysely<Tables>;
  readonly #sqlite: Libsql;

  private constructor(path: string, db: Kysely<Tables>, sqlite: Libsql) {
    this.path = path;
    this.#db = db;
    this.#sqlite = sqlite;
  }

  /**
   * Opens a database, and creates it if there is none.
   *
   * @throws AuspexError DB_UNOPENED, DB_CORRUPT, DB_NEWER, DB_BUSY, DB_FULL
   */
  static async open(path: string): Promise<Database> {
    return guarded(path, async () => {
      if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
      const Sqlite = createRequire(import.meta.url)('libsql') as new (path: string) => Libsql;
      const sqlite = new Sqlite(path);
      try {
        sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
        sqlite.pragma('journal_mode = WAL');
        sqlite.pragma('synchronous = FULL');
        sqlite.pragma('foreign_keys = ON');
        const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: endedOnce(sqlite) }) });
        await prepare(path, db);
        return new Database(path, db, sqlite);
      } catch (error) {
        sqlite.close();
        throw error;
      }
    });
  }

  /**
   * Adds rows, all of them or none; those that are there already are left as they are.
   *
   * @returns how many of each table were new
   */
  async add(rows: readonly TableRow[]): Promise<Record<DataTable, number>> {
    return guarded(this.path, () =>
      this.#db.transaction().execute(async (transaction) => {
        const added = { networks: 0, devices: 0, measurements: 0, predictions: 0 };
        for (const { table, row } of rows) {
          const { numInsertedOrUpdatedRows } = await transaction
            .insertInto(table)
            .values(row as never)
            .onConflict((conflict) => conflict.column(KEYS[table] as never).doNothing())
            .executeTakeFirstOrThrow();
          added[table] += Number(numInsertedOrUpdatedRows ?? 0);
        }
        return added;
      }),
    );
  }

  /** All rows, one table after the other, sorted by key. */
  async *rows(): AsyncGenerator<TableRow> {
    for (const table of DATA_TABLES) {
      const found = await guarded(this.path, () =>
        this.#db
          .selectFrom(table)
          .selectAll()
          .orderBy(KEYS[table] as never)
          .execute(),
      );
      for (const row of found) yield { table, row } as TableRow;
    }
  }

  async counts(): Promise<Record<DataTable, number>> {
    const counts = { networks: 0, devices: 0, measurements: 0, predictions: 0 };
    for (const table of DATA_TABLES) {
      const { n } = await guarded(this.path, () =>
        this.#db
          .selectFrom(table)
          .select((e) => e.fn.countAll().as('n'))
          .executeTakeFirstOrThrow(),
      );
      counts[table] = Number(n);
    }
    return counts;
  }

  /** Devices with how much was measured on each, and when last. */
  async devices(): Promise<
    readonly { name: string; measurements: number; networks: number; latest: string }[]
  > {
    const rows = await guarded(this.path, () =>
      this.#db
        .selectFrom('measurements')
        .innerJoin('devices', 'devices.id', 'measurements.device_id')
        .select((e) => [
          'devices.name as name',
          e.fn.countAll().as('measurements'),
          e.fn.count('network_hash').distinct().as('networks'),
          e.fn.max('measured_at').as('latest'),
        ])
        .groupBy('devices.id')
        .groupBy('devices.name')
        .orderBy('devices.name')
        .execute(),
    );
    return rows.map((row) => ({
      name: row.name,
      measurements: Number(row.measurements),
      networks: Number(row.networks),
      latest: row.latest,
    }));
  }

  /** Measurements of a network or of a device, oldest first, each with the name of its device. */
  async measured(of: { readonly hash?: string; readonly device?: string }): Promise<readonly MeasuredRow[]> {
    return guarded(this.path, () => {
      let query = this.#db
        .selectFrom('measurements')
        .innerJoin('devices', 'devices.id', 'measurements.device_id')
        .innerJoin('networks', 'networks.hash', 'measurements.network_hash')
        .selectAll('measurements')
        .select(['devices.name as device_name', 'networks.name as network_name']);
      if (of.hash !== undefined) query = query.where('network_hash', '=', of.hash);
      if (of.device !== undefined) query = query.where('devices.name', '=', of.device);
      return query.orderBy('measured_at').orderBy('measurements.id').execute();
    });
  }

  async close(): Promise<void> {
    // So that the one file holds everything; another process that reads may prevent it, and nothing is lost then.
    await guarded(this.path, async () => this.#sqlite.pragma('wal_checkpoint(TRUNCATE)')).catch(
      () => undefined,
    );
    await this.#db.destroy();
  }
}

/** Creates the tables, or checks that they are ours. Two processes may do so at once. */
async function prepare(path: string, db: Kysely<Tables>): Promise<void> {
  const hasMeta = (await db.introspection.getTables()).some(({ name }) => name === 'meta');
  if (!hasMeta) await createTables(db);
  await db
    .insertInto('meta')
    .values({ key: 'schema', value: String(SCHEMA_VERSION) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const { value } = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'schema')
    .executeTakeFirstOrThrow();
  if (Number(value) <= SCHEMA_VERSION) return;
  throw new AuspexError(
    'DB_NEWER',
    `the database has version ${value}; this auspex knows up to ${SCHEMA_VERSION}`,
    { where: { file: path }, hint: 'update auspex, or give another database with --db FILE' },
  );
}

/** Errors of SQLite in words. Nothing of a transaction that failed is stored. */
async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AuspexError) throw cause;
    throw translated(path, cause as Error & { code?: string });
  }
}

function translated(path: string, cause: Error & { code?: string }): unknown {
  const where = { file: path };
  const { code = '', message } = cause;
  const other = 'give another database with --db FILE, or none with --no-db';
  const error = (name: string, text: string, hint: string): AuspexError =>
    new AuspexError(name, text, { where, hint, kind: 'failure', cause });
  if (/NOTADB|CORRUPT/.test(code) || /malformed|not a database/.test(message)) {
    return error('DB_CORRUPT', `the file is not a database, or is damaged: ${message}`, other);
  }
  if (/BUSY|LOCKED/.test(code)) {
    return error(
      'DB_BUSY',
      `another process has held the database for ${BUSY_MS / 1000} s`,
      'try again later',
    );
  }
  if (/FULL|IOERR/.test(code)) {
    return error(
      'DB_FULL',
      `the database cannot be written: ${message}; nothing was stored`,
      'free some space',
    );
  }
  const isOpening = /Unable to open|CANTOPEN|READONLY|ConnectionFailed/.test(`${code} ${message}`);
  const isSystem = ['EACCES', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT', 'EPERM'].includes(code);
  if (isOpening || isSystem) return error('DB_UNOPENED', `the database cannot be opened: ${message}`, other);
  return cause;
}
