// The list of objects.
#include "remote/object.hpp"

namespace weft::remote {
namespace {

Object* first = nullptr;

}  // namespace

Object::Object(std::unique_ptr<Words> words) : words_(std::move(words)), next_(first), from_(&first) {
  if (first != nullptr) first->from_ = &next_;
  first = this;
}

Object::~Object() {
  *from_ = next_;
  if (next_ != nullptr) next_->from_ = from_;
}

Status Object::close() { return words_->close(); }

void shut_down() {
  for (Object* object = first; object != nullptr; object = object->next_) object->words_.reset();
}

}  // namespace weft::remote
