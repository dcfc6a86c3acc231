#pragma once
// Stored passwords and SCRAM-SHA-256 (RFC 5802, 7677).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hathi::protocol {

// Kinds of rolpassword.
enum class PasswordKind : std::uint8_t { plain, md5, scram };
PasswordKind password_kind(std::string_view stored);

// "SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>" with a random salt, 4096 iterations.
std::string make_scram_verifier(std::string_view password);
// "md5<hex>" of password and role name.
std::string make_md5_password(std::string_view password, std::string_view role);
// Does the clear-text password fit what is stored?
bool check_plain_password(std::string_view password, std::string_view stored, std::string_view role);
// Does the answer of an md5 challenge ("md5<hex>") fit? salt: 4 bytes.
bool check_md5_response(std::string_view response, std::string_view stored, std::string_view salt);
// Cryptographically strong random bytes. Throws SqlError(internal_error).
void random_bytes(void* out, std::size_t n);

// The server's side of one SCRAM exchange, without channel binding.
class ScramExchange {
 public:
  // stored: rolpassword, or nullopt for an unknown role or an unusable password: the exchange then runs like a real one and fails
  // at its end, so that it tells nothing.
  ScramExchange(std::optional<std::string> stored, std::string_view role);
  // client-first-message to server-first-message. Throws 08P01 / 28000 with PostgreSQL's texts on malformed messages.
  std::string first(std::string_view client_first);
  // client-final-message to server-final-message; nullopt when the proof is wrong.
  std::optional<std::string> final(std::string_view client_final);

 private:
  std::string salt_, stored_key_, server_key_, nonce_, auth_message_, server_first_, client_first_bare_, gs2_header_;
  int iterations_ = 4096;
  bool doomed_ = false;
};

}  // namespace hathi::protocol
