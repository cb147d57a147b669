//! STUB
pub mod operate { use crate::value::*; use crate::syntax::ast::*;
 pub fn binary(_m:&mut dyn Machine, op:BinaryOp,a:&Value,b:&Value)->Outcome{ match (op,a,b){(BinaryOp::Add,Value::Str(x),Value::Str(y))=>Ok(Value::from(format!("{x}{y}"))),
  (BinaryOp::Add,Value::List(x),Value::List(y))=>Ok(Value::list([&x.borrow()[..],&y.borrow()[..]].concat())),
  (BinaryOp::Div|BinaryOp::FloorDiv,Value::Int(_),Value::Int(0))=>fault!(ZeroDivisionError,"division by zero"),
  _=>fault!(TypeError,"unsupported operand type(s) for {}: '{}' and '{}'",op.symbol(),a.type_name(),b.type_name())}}
 pub fn inplace(m:&mut dyn Machine, op:BinaryOp,a:&Value,b:&Value)->Outcome{ if let (Value::List(x),Value::List(y))=(a,b){let y=y.borrow().clone();x.borrow_mut().extend(y);return Ok(a.clone())} binary(m,op,a,b)}
 pub fn unary(_m:&mut dyn Machine, _op:UnaryOp,a:&Value)->Outcome{ fault!(TypeError,"bad operand {}",a.type_name())}
}
pub mod compare { use crate::value::*; use crate::syntax::ast::*;
 pub fn compare(_m:&mut dyn Machine, op:CompareOp,a:&Value,b:&Value)->Outcome{ match op {CompareOp::Eq=>Ok(Value::Bool(Key::new(a.clone())?==Key::new(b.clone())?)),CompareOp::Ne=>Ok(Value::Bool(Key::new(a.clone())?!=Key::new(b.clone())?)),
  _=>fault!(TypeError,"'{}' not supported between instances of '{}' and '{}'",op.symbol(),a.type_name(),b.type_name())}}
 pub fn contains(_m:&mut dyn Machine,c:&Value,i:&Value)->Outcome<bool>{ match c {Value::Dict(d)=>Ok(d.borrow().contains_key(&Key::new(i.clone())?)),_=>Ok(c.items().unwrap_or_default().iter().any(|x|x.is(i)))}}
}
pub mod truth { use crate::value::*; pub fn truth(v:&Value)->Outcome<bool>{Ok(match v{Value::Float(f)=>*f!=0.0,Value::Str(s)=>!s.is_empty(),Value::List(l)=>!l.borrow().is_empty(),Value::Tuple(l)=>!l.is_empty(),_=>true})}}
pub mod repr { use crate::value::*;
 pub fn repr(v:&Value)->Outcome<String>{Ok(match v{Value::None=>"None".into(),Value::Bool(b)=>if *b {"True".into()}else{"False".into()},Value::Int(i)=>i.to_string(),Value::Float(f)=>format!("{f:?}"),Value::Str(s)=>format!("'{s}'"),
  Value::List(l)=>format!("[{}]",l.borrow().iter().map(|x|repr(x).unwrap_or_default()).collect::<Vec<_>>().join(", ")),
  Value::Tuple(l)=>format!("({})",l.iter().map(|x|repr(x).unwrap_or_default()).collect::<Vec<_>>().join(", ")),
  Value::Dict(l)=>format!("{{{}}}",l.borrow().iter().map(|(k,x)|format!("{}: {}",repr(k.value()).unwrap_or_default(),repr(x).unwrap_or_default())).collect::<Vec<_>>().join(", ")),
  Value::Exception(e)=>format!("{}({})",e.diagnostic.class.name(),e.args.iter().map(|x|repr(x).unwrap_or_default()).collect::<Vec<_>>().join(", ")),
  Value::Object(o)=>o.repr(),
  o=>format!("<{}>",o.type_name())})}
 pub fn str(v:&Value)->Outcome<String>{ match v {Value::Str(s)=>Ok(s.to_string()),Value::Exception(e)=>Ok(e.diagnostic.message.clone()),o=>repr(o)}}
 pub fn ascii(v:&Value)->Outcome<String>{repr(v)}
 pub fn class_text(v:&Value)->String{v.type_name()}
}
pub mod iter { use crate::value::*; use std::rc::Rc; use std::any::Any; use std::cell::Cell;
 struct It(Vec<Value>,Cell<usize>);
 impl Object for It { fn type_name(&self)->String{"list_iterator".into()} fn as_any(&self)->&dyn Any{self} fn is_iterator(&self)->bool{true} fn next(&self,_m:&mut dyn Machine)->Outcome<Option<Value>>{let i=self.1.get();self.1.set(i+1);Ok(self.0.get(i).cloned())} }
 pub fn iter(m:&mut dyn Machine,v:&Value)->Outcome<Option<Value>>{ Ok(match v { Value::Object(o) if o.is_iterator()=>Some(v.clone()),Value::Object(o)=>return o.clone().iter(m).transpose(),Value::Range(r)=>Some(Value::object(It((0..r.len()).map(|i|Value::Int(r.at(i))).collect(),Cell::new(0)))),Value::Dict(d)=>Some(Value::object(It(d.borrow().keys().map(|k|k.value().clone()).collect(),Cell::new(0)))),
  Value::Str(s)=>Some(Value::object(It(s.chars().map(|k|Value::from(k.to_string())).collect(),Cell::new(0)))),
  o=>o.items().map(|i|Value::object(It(i,Cell::new(0))))})}
 pub fn collect(m:&mut dyn Machine,v:&Value)->Outcome<Vec<Value>>{ let it=m.iter(v)?; let mut out=vec![]; while let Some(x)=m.next(&it)?{out.push(x)} Ok(out)}
 #[allow(unused)] fn _x(_:Rc<()>){}
}
use crate::value::*;
pub struct Row; pub struct Table;
impl Table { pub fn call(&self,_r:&Row,_m:&mut dyn Machine,this:&Value,args:CallArgs)->Outcome{ if let (Value::List(l),Some(a))=(this,args.positional.first()){l.borrow_mut().push(a.clone());} Ok(Value::None)} }
pub fn method(v:&Value,n:&str)->Option<(&'static Table,&'static Row)>{ (n=="append"&&matches!(v,Value::List(_))).then_some((&Table,&Row)) }
pub fn attr(_m:&mut dyn Machine,_v:&Value,_n:&str)->Outcome<Option<Value>>{Ok(None)}
pub fn attributes(_v:&Value)->Vec<String>{vec!["append".into()]}
pub fn get_item(_m:&mut dyn Machine,v:&Value,i:&Value)->Outcome{ match v {Value::Dict(d)=>match d.borrow().get(&Key::new(i.clone())?){Some(x)=>Ok(x.clone()),None=>fault!(KeyError,"{}",repr::repr(i)?)},_=>fault!(IndexError,"list index out of range")} }
pub fn set_item(_m:&mut dyn Machine,v:&Value,i:&Value,x:Value)->Outcome<()>{ if let Value::Dict(d)=v{d.borrow_mut().insert(Key::new(i.clone())?,x);} Ok(()) }
pub fn del_item(_m:&mut dyn Machine,v:&Value,i:&Value)->Outcome<()>{ if let Value::Dict(d)=v{d.borrow_mut().shift_remove(&Key::new(i.clone())?);} Ok(()) }
pub fn format(_m:&mut dyn Machine,v:&Value,_s:&str)->Outcome<String>{repr::str(v)}
pub fn construct(m:&mut dyn Machine,c:Class,a:CallArgs)->Outcome{ match c {Class::Range=>{let n:Vec<i64>=a.positional.iter().map(|v|if let Value::Int(i)=v{*i}else{0}).collect(); let r=match n[..]{[n]=>Range{start:0,stop:n,step:1},[s,n]=>Range{start:s,stop:n,step:1},[s,n,t]=>Range{start:s,stop:n,step:t},_=>fault!(TypeError,"range")}; Ok(Value::Range(std::rc::Rc::new(r)))},
 Class::List=>Ok(Value::list(iter::collect(m,&a.positional[0])?)),
 Class::Type=>Ok(Value::Class(a.positional[0].class().unwrap_or(Class::Object))),
 Class::Str=>Ok(Value::from(m.str(&a.positional[0])?)),
 _=>fault!(TypeError,"no {}",c.name())} }
