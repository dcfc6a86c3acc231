// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kAuthentication = "Connections and Authentication / Authentication";
constexpr const char* kConnectionSettings = "Connections and Authentication / Connection Settings";
constexpr const char* kSsl = "Connections and Authentication / SSL";
constexpr const char* kErrorHandling = "Error Handling";
constexpr const char* kFileLocations = "File Locations";
constexpr const char* kProcessTitle = "Reporting and Logging / Process Title";

constexpr Option kPasswordEncryptionOptions[] = {{"md5", 1}, {"scram-sha-256", 2}};
constexpr Option kSslMaxProtocolVersionOptions[] = {{"", 0}, {"TLSv1", 1}, {"TLSv1.1", 2}, {"TLSv1.2", 3}, {"TLSv1.3", 4}};
constexpr Option kSslMinProtocolVersionOptions[] = {{"TLSv1", 0}, {"TLSv1.1", 1}, {"TLSv1.2", 2}, {"TLSv1.3", 3}};
constexpr Option kRecoveryInitSyncMethodOptions[] = {{"fsync", 0}, {"syncfs", 1}};

}  // namespace

void define_connection_settings() {
  static const Definition table[] = {
      // Connections and Authentication / Authentication
      integer("authentication_timeout", kAuthentication, "Longest time a client may take to log in.", Context::sighup, Unit::seconds, "60",
              1, 600, &values::authentication_timeout),
      boolean("db_user_namespace", kAuthentication, "Gives each database its own user names.", Context::sighup, "off", nullptr) |
          kOnlyDefault,
      boolean("krb_caseins_users", kAuthentication, "Compares Kerberos and GSSAPI user names without regard to case.", Context::sighup,
              "off", &values::krb_caseins_users),
      text("krb_server_keyfile", kAuthentication, "Kerberos key file of the server.", Context::sighup, "", &values::krb_server_keyfile) |
          kSuperuserOnly,
      choice("password_encryption", kAuthentication, "How new passwords are stored.", Context::user, "scram-sha-256",
             kPasswordEncryptionOptions, &values::password_encryption),
      // Connections and Authentication / Connection Settings
      boolean("bonjour", kConnectionSettings, "Announces the server by Bonjour.", Context::postmaster, "off", nullptr) | kOnlyDefault,
      text("bonjour_name", kConnectionSettings, "Name announced by Bonjour.", Context::postmaster, "", nullptr),
      integer("client_connection_check_interval", kConnectionSettings,
              "Time between checks that the client is still there while a statement runs (0: none).", Context::user, Unit::milliseconds,
              "0", 0, kMaxInt, &values::client_connection_check_interval),
      text("listen_addresses", kConnectionSettings, "Host names or addresses to listen on.", Context::postmaster, "localhost",
           &values::listen_addresses) |
          kListInput,
      integer("max_connections", kConnectionSettings, "Most client connections at once.", Context::postmaster, Unit::none, "100", 1, 262143,
              &values::max_connections),
      integer("port", kConnectionSettings, "TCP port to listen on.", Context::postmaster, Unit::none, "5432", 1, 65535, &values::port),
      integer("superuser_reserved_connections", kConnectionSettings, "Connections kept free for superusers.", Context::postmaster,
              Unit::none, "3", 0, 262143, &values::superuser_reserved_connections),
      integer("tcp_keepalives_count", kConnectionSettings,
              "TCP keepalives that may be lost before the connection is given up (0: the system's default).", Context::user, Unit::none,
              "0", 0, kMaxInt, &values::tcp_keepalives_count),
      integer("tcp_keepalives_idle", kConnectionSettings, "Idle time before the first TCP keepalive (0: the system's default).",
              Context::user, Unit::seconds, "0", 0, kMaxInt, &values::tcp_keepalives_idle),
      integer("tcp_keepalives_interval", kConnectionSettings, "Time between TCP keepalives (0: the system's default).", Context::user,
              Unit::seconds, "0", 0, kMaxInt, &values::tcp_keepalives_interval),
      integer("tcp_user_timeout", kConnectionSettings, "Time that sent data may stay unacknowledged (0: the system's default).",
              Context::user, Unit::milliseconds, "0", 0, kMaxInt, &values::tcp_user_timeout),
      text("unix_socket_directories", kConnectionSettings, "Directories of the Unix-domain sockets.", Context::postmaster, "/tmp",
           &values::unix_socket_directories) |
          kSuperuserOnly | kListQuote | kListInput,
      text("unix_socket_group", kConnectionSettings, "Group that owns the Unix-domain sockets.", Context::postmaster, "",
           &values::unix_socket_group),
      integer("unix_socket_permissions", kConnectionSettings, "Access permissions of the Unix-domain sockets.", Context::postmaster,
              Unit::none, "511", 0, 511, &values::unix_socket_permissions) |
          kOctal,
      // Connections and Authentication / SSL
      boolean("ssl", kSsl, "Offers encrypted connections.", Context::sighup, "off", &values::ssl) | kOnlyDefault,
      text("ssl_ca_file", kSsl, "Certificates of the authorities that clients are checked against.", Context::sighup, "",
           &values::ssl_ca_file),
      text("ssl_cert_file", kSsl, "Certificate of the server.", Context::sighup, "server.crt", &values::ssl_cert_file),
      text("ssl_ciphers", kSsl, "Allowed TLS ciphers.", Context::sighup, "HIGH:MEDIUM:+3DES:!aNULL", &values::ssl_ciphers) | kSuperuserOnly,
      text("ssl_crl_dir", kSsl, "Directory of certificate revocation lists.", Context::sighup, "", &values::ssl_crl_dir),
      text("ssl_crl_file", kSsl, "Certificate revocation list.", Context::sighup, "", &values::ssl_crl_file),
      text("ssl_dh_params_file", kSsl, "Diffie-Hellman parameters.", Context::sighup, "", nullptr) | kSuperuserOnly,
      text("ssl_ecdh_curve", kSsl, "Curve for ECDH.", Context::sighup, "prime256v1", &values::ssl_ecdh_curve) | kSuperuserOnly,
      text("ssl_key_file", kSsl, "Private key of the server.", Context::sighup, "server.key", &values::ssl_key_file),
      choice("ssl_max_protocol_version", kSsl, "Newest TLS version allowed.", Context::sighup, "", kSslMaxProtocolVersionOptions,
             &values::ssl_max_protocol_version) |
          kSuperuserOnly,
      choice("ssl_min_protocol_version", kSsl, "Oldest TLS version allowed.", Context::sighup, "TLSv1.2", kSslMinProtocolVersionOptions,
             &values::ssl_min_protocol_version) |
          kSuperuserOnly,
      text("ssl_passphrase_command", kSsl, "Command that prints the pass phrase of the private key.", Context::sighup, "", nullptr) |
          kSuperuserOnly,
      boolean("ssl_passphrase_command_supports_reload", kSsl, "Runs ssl_passphrase_command at a reload too.", Context::sighup, "off",
              nullptr),
      boolean("ssl_prefer_server_ciphers", kSsl, "The server's order of ciphers counts.", Context::sighup, "on",
              &values::ssl_prefer_server_ciphers),
      // Error Handling
      boolean("data_sync_retry", kErrorHandling, "Goes on after a failed sync of data.", Context::postmaster, "off",
              &values::data_sync_retry),
      boolean("exit_on_error", kErrorHandling, "Ends the session on any error.", Context::user, "off", &values::exit_on_error),
      choice("recovery_init_sync_method", kErrorHandling, "How the data directory is synchronised before recovery.", Context::sighup,
             "syncfs", kRecoveryInitSyncMethodOptions, &values::recovery_init_sync_method),
      boolean("restart_after_crash", kErrorHandling, "Starts all over after a backend has crashed.", Context::sighup, "on",
              &values::restart_after_crash),
      // File Locations
      text("config_file", kFileLocations, "The main configuration file.", Context::postmaster, "", &values::config_file) | kSuperuserOnly,
      text("data_directory", kFileLocations, "The data directory.", Context::postmaster, "", &values::data_directory) | kSuperuserOnly,
      text("extension_destdir", kFileLocations, "Path put before the directories of extensions.", Context::superuser, "", nullptr) |
          kSuperuserOnly,
      text("external_pid_file", kFileLocations, "An additional file that gets the server's process id.", Context::postmaster, "",
           &values::external_pid_file) |
          kSuperuserOnly,
      text("hba_file", kFileLocations, "The file of client authentication rules.", Context::postmaster, "", &values::hba_file) |
          kSuperuserOnly,
      text("ident_file", kFileLocations, "The file of user name maps.", Context::postmaster, "", &values::ident_file) | kSuperuserOnly,
      // Reporting and Logging / Process Title
      text("cluster_name", kProcessTitle, "Name of the cluster, shown in process titles.", Context::postmaster, "", &values::cluster_name) |
          Hooks{check_printable_name, nullptr},
      boolean("update_process_title", kProcessTitle, "Shows the running command in the process title.", Context::superuser, "on",
              &values::update_process_title),
  };
  define(table);
}

}  // namespace hathi::config
