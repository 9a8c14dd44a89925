// The database of measurements.
export { Database, defaultDatabase, type MeasuredRow, type TableRow } from './database.js';
export { exportLines, type ImportedRows, importLines } from './lines.js';
export type { DataTable, DeviceRow, MeasurementRow, NetworkRow, PredictionRow } from './schema.js';
